import type { TxGas } from "../protocol/fees/gas-fees.ts";
import type { Phase } from "./executed-tx.ts";

/** Is told of what is executed, and how long it took. */
export interface ExecutionRecord {
  /** A tx that a block can include; `phases` is how many it has. */
  tx(tx: { ms: number; gas: TxGas; phases: number }): void;
  /** A tx that no block can include, or that failed. */
  refusedTx(): void;
  /** All calls of a phase; not ok: it was reverted. */
  phase(phase: Phase, ms: number, ok: boolean): void;
  call(ms: number, mana: number, ok: boolean): void;
  /** Inserting effects of a tx's private part, in microseconds. */
  privateEffects(us: number, of: "revertible" | "non-revertible"): void;
  /** Applying the effects of a tx to the trees. */
  applied(ms: number): void;
  /** All txs of a block. */
  block(gas: TxGas, ms: number): void;
}
