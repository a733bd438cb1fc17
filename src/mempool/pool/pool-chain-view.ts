import type { Fr } from "../../protocol/field.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { TxSummary } from "../digest/tx-facts.ts";
import type { BlockRef } from "./pool-entry.ts";

/** What the pool reads of the chain. Calls without an await between them see one snapshot. */
export interface PoolChainView {
  /** The block that includes a tx. */
  minedIn(hash: Fr): BlockRef | undefined;
  /**
   * Returns a predicate: may a tx be pending on the current chain
   * (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where, "becoming pending")? `body` reads the tx.
   */
  admission(): (summary: TxSummary, body: () => Tx | undefined) => boolean;
  /** Balance in fee asset units, in the committed state or after a block. */
  feeJuice(payer: Fr, block?: number): bigint;
  /** Whether the archive contains a block header's hash after a block. */
  hasBlock(hash: Fr, after: number): boolean;
  /** Unix time in milliseconds. */
  now(): number;
}
