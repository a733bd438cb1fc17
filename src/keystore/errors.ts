import { OperatorError } from "../errors/operator-error.ts";

/** A rule that a keystore breaks, and where. Never contains a secret. */
export interface KeystoreIssue {
  /** Path of the file; absent for an issue of the merged keystore. */
  file?: string;
  /** For example `validators[0].attester.eth`; empty for the file as a whole. */
  field: string;
  /** A clause or a sentence. */
  rule: string;
}

/** Keystore files cannot be used. Names every broken rule that was found. */
export class KeystoreError extends OperatorError {
  override readonly errorCode: string = "keystore";

  readonly issues: readonly KeystoreIssue[];

  constructor(issues: readonly KeystoreIssue[], options?: ErrorOptions) {
    super(
      issues
        .map(({ file, field, rule }) => [...(file === undefined ? [] : [`${file}:`]), field, rule])
        .map((parts) => parts.filter((part) => part !== "").join(" "))
        .join("; "),
      options,
    );
    this.name = "KeystoreError";
    this.issues = issues;
  }
}

/**
 * A reload is refused and the keys in force stay. The message is the one returned over RPC
 * (docs/protocol/05-rpc.md#537-other-admin-methods).
 */
export class KeystoreReloadRefusedError extends KeystoreError {
  constructor(rule: string) {
    super([{ field: "", rule }]);
    this.name = "KeystoreReloadRefusedError";
  }
}
