import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { DropReason } from "../../protocol/tx/drop-reasons.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { Eventually } from "./eventually.ts";

export interface PooledTx {
  hash: Uint8Array;
  tx: Tx;
}

/** A tx that left the pool. Reasons are remembered for the last txs since the start. */
export interface DroppedTx {
  readonly reason: DropReason | undefined;
}

/** `mined` is settled but not final. */
export type PoolStatus = "pending" | "mined" | DroppedTx;

/** Transactions on their way into a block. */
export interface Mempool {
  /**
   * Rejects with an ExecutionError: with the reasons for an invalid tx, with `data` for one that the pool has no place
   * for.
   */
  submit(tx: Tx): Promise<void>;
  /** undefined for a tx that the pool does not know. */
  status(hash: Uint8Array): Eventually<PoolStatus | undefined>;
  get(hash: Uint8Array): Eventually<PooledTx | undefined>;
  /** Pending txs of highest priority first, those after `after`; none for an unknown one. */
  list(limit: number, after: Uint8Array | undefined): Eventually<PooledTx[]>;
  /** Pending txs. */
  count(): Eventually<number>;
  /** Of the pending tx of highest priority; zero for an empty pool. */
  maxPriorityFees(): Eventually<GasFees>;
}
