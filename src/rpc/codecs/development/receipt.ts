import { DROP_REASONS } from "../../../protocol/tx/drop-reasons.ts";
import { encoder } from "../json/encoder.ts";
import { about, BOOLEAN, COUNT, named, oneOfWords, record } from "../json/json-schema.ts";
import { BLOCK_HASH, BLOCK_NUMBER, DECIMAL, EPOCH_NUMBER, SLOT_NUMBER, TX_HASH } from "../json/scalars.ts";
import { dropText, RECEIPT_ERROR, type TxOutcome } from "../release/receipt.ts";
import { EXECUTION_RESULTS, executionResult } from "../release/revert-words.ts";
import { encodeTx, type ShownTx } from "../shared/tx.ts";
import { encodeTxEffect } from "./tx-effect.ts";

/** Outcome of a tx and what the answer attaches. */
export interface ShownOutcome {
  outcome: TxOutcome;
  includeTxEffect: boolean;
  /** The pending tx. */
  tx: ShownTx | undefined;
}

const RECEIPT = named("TxReceipt", "What became of a transaction.", {
  anyOf: [
    record(
      "MinedTxReceipt",
      "Of a transaction in a block.",
      {
        txHash: TX_HASH,
        status: oneOfWords(["proposed", "checkpointed", "proven", "finalized"], "The last tip that has the block."),
        executionResult: oneOfWords(EXECUTION_RESULTS["4.3"], "What its public part did."),
        transactionFee: about(DECIMAL, "The fee that was paid, in the fee asset's smallest unit."),
        blockHash: about(BLOCK_HASH, "The block that it is in."),
        blockNumber: about(BLOCK_NUMBER, "The block that it is in."),
        slotNumber: about(SLOT_NUMBER, "The slot of that block."),
        txIndexInBlock: about(COUNT, "Its place in the block, from 0."),
        epochNumber: about(EPOCH_NUMBER, "The epoch of that block."),
      },
      { txEffect: about(encodeTxEffect.schema, "What it did; only with includeTxEffect.") },
    ),
    record(
      "PendingTxReceipt",
      "Of a transaction in the node's pool.",
      { txHash: TX_HASH, status: { const: "pending" } },
      { tx: about(encodeTx.schema, "The transaction; only with includePendingTx.") },
    ),
    record(
      "DroppedTxReceipt",
      "Of a transaction that is neither in the node's pool nor in a block.",
      {
        txHash: TX_HASH,
        status: { const: "dropped" },
        error: RECEIPT_ERROR,
        known: about(BOOLEAN, "Whether it was in the pool; of the last ones since the node's start."),
      },
      { dropReason: oneOfWords(DROP_REASONS, "Why it left the pool, as far as that is remembered.") },
    ),
  ],
});

/** TxReceipt (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export const encodeReceipt = encoder<ShownOutcome>(RECEIPT, (out, { outcome, includeTxEffect, tx }) => {
  out.text('{"txHash":').word(outcome.txHash).text(`,"status":"${outcome.status}"`);
  if ("settled" in outcome) {
    const { settled, epoch } = outcome;
    const { effect } = settled;
    out.text(`,"executionResult":"${executionResult(effect, "4.3")}"`);
    out.text(',"transactionFee":').decimalBytes(effect.transactionFee, 0, 32);
    out.text(',"blockHash":').word(settled.blockHash);
    out.text(`,"blockNumber":${settled.blockNumber},"slotNumber":${settled.slotNumber}`);
    out.text(`,"txIndexInBlock":${settled.txIndexInBlock},"epochNumber":${epoch}`);
    if (includeTxEffect) {
      out.text(',"txEffect":');
      encodeTxEffect(out, effect);
    }
  } else if (outcome.status === "dropped") {
    const { known } = outcome;
    out.text(`,"error":"${dropText(known)}","known":${known !== undefined}`);
    if (known?.reason !== undefined) out.text(`,"dropReason":"${known.reason}"`);
  } else if (tx !== undefined) {
    out.text(',"tx":');
    encodeTx(out, tx);
  }
  out.text("}");
});
