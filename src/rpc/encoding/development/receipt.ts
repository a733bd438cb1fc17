import type { JsonWriter } from "../json-writer.ts";
import { encodeTx, type ShownTx } from "../tx.ts";
import { DROPPED, type TxOutcome } from "../v4/receipt.ts";
import { encodeTxEffect } from "./tx-effect.ts";

/** What became of a tx, and what is attached. */
export interface ShownOutcome {
  outcome: TxOutcome;
  includeTxEffect: boolean;
  /** The pending tx. */
  tx: ShownTx | undefined;
}

/** TxReceipt (sheet 03 section 4.15). */
export function encodeReceipt(out: JsonWriter, { outcome, includeTxEffect, tx }: ShownOutcome): void {
  out.text('{"txHash":').word(outcome.txHash).text(`,"status":"${outcome.status}"`);
  if ("settled" in outcome) {
    const { settled, epoch } = outcome;
    const { effect } = settled;
    out.text(`,"executionResult":"${effect.revertCode === 0 ? "success" : "reverted"}"`);
    out.text(',"transactionFee":').decimalBytes(effect.transactionFee, 0, 32);
    out.text(',"blockHash":').word(settled.blockHash);
    out.text(`,"blockNumber":${settled.blockNumber},"slotNumber":${settled.slotNumber}`);
    out.text(`,"txIndexInBlock":${settled.txIndexInBlock},"epochNumber":${epoch}`);
    if (includeTxEffect) {
      out.text(',"txEffect":');
      encodeTxEffect(out, effect);
    }
  } else if (outcome.status === "dropped") {
    out.text(`,"error":"${DROPPED}"`);
  } else if (tx !== undefined) {
    out.text(',"tx":');
    encodeTx(out, tx);
  }
  out.text("}");
}
