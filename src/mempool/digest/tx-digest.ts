import type { Fr } from "../../protocol/field.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** All that takes hashing to know of a tx. Plain data, so that it can cross threads. */
export interface TxDigest {
  hash: Fr;
  /** Hash of the anchor block's header. */
  anchorHash: Fr;
  /** Why calldata or contract class logs are not those that `data` commits to; the first reason. */
  dataFault: string | undefined;
  /** What is wrong with an instance that the tx publishes; the first reason. */
  instanceFault: string | undefined;
  /** The contracts that the tx publishes can be read, and each class has the id that it claims. */
  contractsHold: boolean;
}

/** What a digest is made of: everything but the proof. */
export type DigestedTx = Omit<Tx, "chonkProof">;

/** Where digests are made: the result is the same. Rejects with a DigestQueueFullError when too many wait already. */
export type DigestTx = (tx: DigestedTx) => Promise<TxDigest>;

/** More txs are being sent than can be hashed. */
export class DigestQueueFullError extends Error {
  readonly waiting: number;

  constructor(waiting: number) {
    super(`${waiting} txs are waiting to be checked already`);
    this.name = "DigestQueueFullError";
    this.waiting = waiting;
  }
}
