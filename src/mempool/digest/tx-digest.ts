import { BusyError } from "../../errors/busy-error.ts";
import type { Fr } from "../../protocol/field.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** Results of hashing a tx's parts, without the tx's own hash. Plain data, so that it can cross threads. */
export interface ContentDigest {
  /** Hash of the anchor block's header. */
  anchorHash: Fr;
  /**
   * First reason why calldata or contract class logs do not match their commitments in `data`, or classes their ids.
   */
  dataFault: string | undefined;
  /** First fault of a contract instance that the tx publishes. */
  instanceFault: string | undefined;
  /** Whether the published contracts can be read. */
  contractsReadable: boolean;
}

/** Everything about a tx that takes hashing. Plain data, so that it can cross threads. */
export interface TxDigest extends ContentDigest {
  hash: Fr;
}

/** Parts of a digest, computed separately: the tx's own hash takes most of the time and is not always needed. */
export interface DigestParts {
  hash: Fr;
  content: ContentDigest;
}

export type DigestPart = keyof DigestParts;

/** Parts of a tx's digest to compute. Plain data, so that it can cross threads. */
export interface DigestJob {
  tx: DigestedTx;
  parts: readonly DigestPart[];
}

/** What a digest is computed from: everything but the proof. */
export type DigestedTx = Omit<Tx, "chonkProof">;

/** Computes digests. Rejects with a DigestQueueFullError when too many txs wait already. */
export interface Digests {
  whole(tx: DigestedTx): Promise<TxDigest>;
  hash(tx: DigestedTx): Promise<Fr>;
  content(tx: DigestedTx): Promise<ContentDigest>;
}

/** Txs arrive faster than they can be hashed. */
export class DigestQueueFullError extends BusyError {
  override readonly errorCode: string = "digest-queue-full";

  constructor(waiting: number) {
    super(`${waiting} txs are waiting to be checked already`, waiting);
    this.name = "DigestQueueFullError";
  }
}
