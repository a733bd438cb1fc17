import { mapKey } from "../../protocol/bytes.ts";
import type { TxSummary } from "../digest/tx-facts.ts";

/** Reference to a block of the chain. */
export interface BlockRef {
  number: number;
  hash: Uint8Array;
}

/** A tx of the pool without its body. */
export interface PoolEntry extends TxSummary {
  /** The hash as a map key. */
  readonly key: string;
  readonly payerKey: string;
  readonly nullifierKeys: readonly string[];
  /** Size of the body. */
  readonly bytes: number;
  /** Unix time in milliseconds; 0 for a tx that was loaded at the start. */
  readonly receivedAt: number;
  minedIn: BlockRef | undefined;
}

export function poolEntry(
  summary: TxSummary,
  { bytes, receivedAt, minedIn }: Pick<PoolEntry, "bytes" | "receivedAt" | "minedIn">,
): PoolEntry {
  return {
    ...summary,
    key: mapKey(summary.hash),
    payerKey: mapKey(summary.feePayer),
    nullifierKeys: summary.nullifiers.map(mapKey),
    bytes,
    receivedAt,
    minedIn,
  };
}

/**
 * What decides a tx's rank: the priority fee, then the hash as a number
 * (docs/protocol/07-transactions-and-fees.md#720-priority).
 */
export type Ranked = Pick<TxSummary, "priorityFee" | "hash">;

/** Positive when `a` ranks above `b`, so that it goes into a block first. */
export function compareRank(a: Ranked, b: Ranked): number {
  if (a.priorityFee !== b.priorityFee) return a.priorityFee > b.priorityFee ? 1 : -1;
  return Buffer.compare(a.hash, b.hash);
}
