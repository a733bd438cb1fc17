import type { Fr } from "../../protocol/field.ts";
import type { TxSummary } from "../tx-facts.ts";
import type { BlockRef } from "./pool-entry.ts";

/** What the pool asks of the chain. Each run of calls without an await between them sees one snapshot. */
export interface PoolSurroundings {
  /** The block that a tx is in. */
  minedIn(hash: Fr): BlockRef | undefined;
  /** Makes a check of whether txs may be pending now (sheet 06 section 1.1, "entering the pending state"). */
  admission(): (summary: TxSummary) => boolean;
  /** Fee asset units in the committed state, or in that after a block. */
  feeJuice(payer: Fr, block?: number): bigint;
  /** Whether a block header's hash is in the archive after a block. */
  hasBlock(hash: Fr, after: number): boolean;
  /** Unix time in milliseconds. */
  now(): number;
}
