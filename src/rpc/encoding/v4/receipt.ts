import type { SettledTx } from "../../../archiver/content-types.ts";
import type { JsonWriter } from "../json-writer.ts";
import { encodeTxEffect } from "./tx-effect.ts";

export type SettledStatus = "proposed" | "checkpointed" | "proven" | "finalized";

/** What became of a tx. */
export type TxOutcome =
  | { status: "dropped" | "pending"; txHash: Uint8Array }
  | { status: SettledStatus; txHash: Uint8Array; settled: SettledTx; epoch: number };

export const DROPPED = "Tx dropped by P2P node";

const EXECUTION_RESULTS = ["success", "app_logic_reverted", "teardown_reverted", "both_reverted"] as const;

/** TxReceipt (sheet 02 section 4.6). */
export function encodeReceipt(out: JsonWriter, outcome: TxOutcome): void {
  out.text('{"txHash":').word(outcome.txHash).text(`,"status":"${outcome.status}"`);
  if ("settled" in outcome) {
    const { settled, epoch } = outcome;
    const { effect } = settled;
    out.text(`,"executionResult":"${EXECUTION_RESULTS[effect.revertCode]}"`);
    out.text(',"transactionFee":').decimalBytes(effect.transactionFee, 0, 32);
    out.text(',"blockHash":').word(settled.blockHash);
    out.text(`,"blockNumber":${settled.blockNumber},"epochNumber":${epoch}`);
  } else if (outcome.status === "dropped") {
    out.text(`,"error":"${DROPPED}"`);
  }
  out.text("}");
}

/** IndexedTxEffect. */
export function encodeIndexedEffect(out: JsonWriter, settled: SettledTx): void {
  out.text('{"l2BlockHash":').word(settled.blockHash);
  out.text(`,"l2BlockNumber":${settled.blockNumber},"txIndexInBlock":${settled.txIndexInBlock},"data":`);
  encodeTxEffect(out, settled.effect);
  out.text("}");
}
