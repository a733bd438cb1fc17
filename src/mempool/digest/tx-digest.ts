import { BusyError } from "../../errors/busy-error.ts";
import type { Fr } from "../../protocol/field.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** What hashes say of a tx's parts, without the tx's own hash. Plain data, so that it can cross threads. */
export interface ContentDigest {
  /** Hash of the anchor block's header. */
  anchorHash: Fr;
  /** Why calldata or contract class logs are not those that `data` commits to; the first reason. */
  dataFault: string | undefined;
  /** What is wrong with an instance that the tx publishes; the first reason. */
  instanceFault: string | undefined;
  /** The contracts that the tx publishes can be read, and each class has the id that it claims. */
  contractsHold: boolean;
}

/** All that takes hashing to know of a tx. Plain data, so that it can cross threads. */
export interface TxDigest extends ContentDigest {
  hash: Fr;
}

/** A digest is made in parts: the tx's own hash takes most of the time, and not every question is about it. */
export interface DigestParts {
  hash: Fr;
  content: ContentDigest;
}

export type DigestPart = keyof DigestParts;

/** Parts of a tx's digest that are to be made. Plain data, so that it can cross threads. */
export interface DigestJob {
  tx: DigestedTx;
  parts: readonly DigestPart[];
}

/** What a digest is made of: everything but the proof. */
export type DigestedTx = Omit<Tx, "chonkProof">;

/** Where digests are made: the result is the same. Rejects with a DigestQueueFullError when too many wait already. */
export interface Digests {
  whole(tx: DigestedTx): Promise<TxDigest>;
  hash(tx: DigestedTx): Promise<Fr>;
  content(tx: DigestedTx): Promise<ContentDigest>;
}

/** More txs are being sent than can be hashed. */
export class DigestQueueFullError extends BusyError {
  override readonly errorCode: string = "digest-queue-full";

  constructor(waiting: number) {
    super(`${waiting} txs are waiting to be checked already`, waiting);
    this.name = "DigestQueueFullError";
  }
}
