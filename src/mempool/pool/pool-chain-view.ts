import type { Fr } from "../../protocol/field.ts";
import type { TxSummary } from "../tx-facts.ts";
import type { BlockRef } from "./pool-entry.ts";

/** What the pool reads of the chain. Calls without an await between them see one snapshot. */
export interface PoolChainView {
  /** The block that a tx is in. */
  minedIn(hash: Fr): BlockRef | undefined;
  /** Returns a predicate: may a tx be pending on the current chain? (sheet 06 section 1.1, "entering the pending state"). */
  admission(): (summary: TxSummary) => boolean;
  /** Fee asset units in the committed state, or in that after a block. */
  feeJuice(payer: Fr, block?: number): bigint;
  /** Whether a block header's hash is in the archive after a block. */
  hasBlock(hash: Fr, after: number): boolean;
  /** Unix time in milliseconds. */
  now(): number;
}
