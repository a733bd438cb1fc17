import type { Tx } from "../../protocol/tx/tx.ts";
import type { Verdict } from "../../protocol/tx/verdict.ts";

/** Whether a tx could be in the next block. */
export interface TxValidityChecker {
  validate(tx: Tx, options: { isSimulation: boolean; skipFeeEnforcement: boolean }): Promise<Verdict>;
}
