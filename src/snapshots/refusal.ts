/** Rule that a snapshot breaks. */
type SnapshotRule =
  | "absent"
  | "space"
  | "gzip"
  | "size"
  | "sha256"
  | "database"
  | "identity"
  | "schema"
  | "tip"
  | "world-state"
  | "archive";

/** A snapshot is invalid and must not become the chain store. */
export class SnapshotRefusedError extends Error {
  readonly rule: SnapshotRule;
  readonly detail: string;

  constructor(rule: SnapshotRule, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = "SnapshotRefusedError";
    this.rule = rule;
    this.detail = detail;
  }
}
