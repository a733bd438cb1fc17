import { OperatorError } from "../../../errors/operator-error.ts";
import { brokenRule, isCount, isDigest, isHash, type MemberRule } from "../../../snapshots/member-rules.ts";
import { type SnapshotNetwork, snapshotFolder } from "../../../snapshots/snapshot-index.ts";

/**
 * What is stored of an epoch that could not be proven, below `svc-<L1 chain>-<rollup version>-<rollup address>/` in
 *
 *     <epoch>-<YYYYMMDDHHMMSS, UTC>-<uuid>/chain.db        gzip: a copy of the chain store
 *                                          txs.bin         gzip: the epoch's transactions (txToBytes), one after another
 *                                          metadata.json   FailedEpoch; written last
 *
 * The reference's folders (docs/protocol/13-proving.md#1310-prover-node) have the databases of its own node.
 */
export interface FailedEpoch extends SnapshotNetwork {
  readonly version: 1;
  readonly epoch: number;
  /** Why it could not be proven. */
  readonly reason: string;
  /** ISO 8601. */
  readonly failedAt: string;
  /** 0x text of 20 bytes. */
  readonly proverId: string;
  readonly epochDuration: number;
  readonly genesis: {
    readonly archiveRoot: string;
    /** Slot and value of each leaf in public data, 0x text. */
    readonly publicData: readonly (readonly [slot: string, value: string])[];
  };
  /** Those that were to be proven, in order. */
  readonly checkpoints: readonly FailedCheckpoint[];
  readonly chain: { readonly bytes: number; readonly sha256: string; readonly packedBytes: number };
  readonly txs: { readonly count: number; readonly bytes: number; readonly packedBytes: number };
}

export interface FailedCheckpoint {
  readonly number: number;
  /** 0x text. */
  readonly archiveRoot: string;
  /** KZG commitments of its blobs, 0x text of 48 bytes each. */
  readonly commitments: readonly string[];
}

export const METADATA = "metadata.json";
export const CHAIN = "chain.db";
export const TXS = "txs.bin";
export const MAX_METADATA_BYTES = 16 * 1024 * 1024;

/** A stored epoch cannot be proven again. */
export class FailedEpochError extends OperatorError {
  override readonly errorCode: string = "failed-epoch";

  constructor(rule: string, options?: ErrorOptions) {
    super(`the stored epoch ${rule}`, options);
    this.name = "FailedEpochError";
  }
}

export function failedEpochFolder(network: SnapshotNetwork, epoch: number, at: Date, id: string): string {
  return `${snapshotFolder(network)}/${epoch}-${at.toISOString().replace(/\D/g, "").slice(0, 14)}-${id}`;
}

const hexOf = (bytes: number) => {
  const pattern = new RegExp(`^0x[0-9a-f]{${bytes * 2}}$`);
  return (value: unknown): boolean => typeof value === "string" && pattern.test(value);
};
const isAddress = hexOf(20);
const isCommitment = hexOf(48);
const isList = (of: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(of);
const isCheckpoint = (value: unknown): boolean => brokenRule(CHECKPOINT_RULES, value) === undefined;
const isLeaf = (value: unknown): boolean => Array.isArray(value) && value.length === 2 && value.every(isHash);

const CHECKPOINT_RULES: readonly MemberRule[] = [
  ["number", isCount, "must be a whole number"],
  ["archiveRoot", isHash, "must be 0x and 64 hex digits"],
  ["commitments", isList(isCommitment), "must be a list of 0x and 96 hex digits"],
];

const RULES: readonly MemberRule[] = [
  ["version", (value) => value === 1, "must be 1"],
  ["l1ChainId", isCount, "must be a whole number"],
  ["rollupVersion", isCount, "must be a whole number"],
  ["rollupAddress", isAddress, "must be 0x and 40 hex digits"],
  ["epoch", isCount, "must be a whole number"],
  ["reason", (value) => typeof value === "string", "must be a text"],
  ["failedAt", (value) => typeof value === "string", "must be a text"],
  ["proverId", isAddress, "must be 0x and 40 hex digits"],
  ["epochDuration", (value) => isCount(value) && value !== 0, "must be a whole number above 0"],
  ["genesis.archiveRoot", isHash, "must be 0x and 64 hex digits"],
  ["genesis.publicData", isList(isLeaf), "must be a list of pairs of 0x and 64 hex digits"],
  [
    "checkpoints",
    (value) => isList(isCheckpoint)(value) && (value as unknown[]).length > 0,
    "must be a list of checkpoints, each with number, archiveRoot and commitments",
  ],
  ["chain.bytes", isCount, "must be a whole number"],
  ["chain.sha256", isDigest, "must be 64 hex digits"],
  ["chain.packedBytes", isCount, "must be a whole number"],
  ["txs.count", isCount, "must be a whole number"],
  ["txs.bytes", isCount, "must be a whole number"],
  ["txs.packedBytes", isCount, "must be a whole number"],
];

/** Reads `metadata.json`. Throws a FailedEpochError that names the first member that breaks a rule. */
export function parseFailedEpoch(bytes: Uint8Array): FailedEpoch {
  let document: unknown;
  try {
    document = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw new FailedEpochError(`has a ${METADATA} that is not JSON`, { cause });
  }
  const rule = brokenRule(RULES, document);
  if (rule !== undefined) throw new FailedEpochError(`has a ${METADATA} in which ${rule}`);
  return document as FailedEpoch;
}
