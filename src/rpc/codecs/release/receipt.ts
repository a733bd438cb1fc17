import type { SettledTx } from "../../../archiver/content-types.ts";
import { DROP_REASONS } from "../../../protocol/tx/drop-reasons.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { DroppedTx } from "../../ports/mempool.ts";
import type { RevertWords } from "../../ports/node-status.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, COUNT, oneOfWords, record } from "../json/json-schema.ts";
import { BLOCK_HASH, BLOCK_NUMBER, DECIMAL, EPOCH_NUMBER, TX_HASH } from "../json/scalars.ts";
import { EXECUTION_RESULTS, executionResult } from "./revert-words.ts";

export type SettledStatus = "proposed" | "checkpointed" | "proven" | "finalized";

/** Outcome of a tx. */
export type TxOutcome =
  | { status: "pending"; txHash: Uint8Array }
  /** `known` is undefined for a tx that the node does not know. */
  | { status: "dropped"; txHash: Uint8Array; known: DroppedTx | undefined }
  | { status: SettledStatus; txHash: Uint8Array; settled: SettledTx; epoch: number };

/** The release's text, for every tx that is neither pending nor in a block. */
const DROPPED = "Tx dropped by P2P node";
const UNKNOWN = "Tx unknown to this node";

/** Text of a tx that is neither pending nor in a block. */
export function dropText(known: DroppedTx | undefined): string {
  if (known === undefined) return UNKNOWN;
  return known.reason === undefined ? DROPPED : `${DROPPED}: ${known.reason}`;
}

export const RECEIPT_ERROR = oneOfWords(
  [UNKNOWN, DROPPED, ...DROP_REASONS.map((reason) => `${DROPPED}: ${reason}`)],
  "Whether the node knew it, and why it was dropped; only for the last ones dropped since the node's start.",
);
const receiptSchema = (words: RevertWords) =>
  record(
    "ReleaseTxReceipt",
    "What became of a transaction.",
    {
      txHash: TX_HASH,
      status: oneOfWords(
        ["dropped", "pending", "proposed", "checkpointed", "proven", "finalized"],
        "dropped: neither in the pool nor in a block; pending: in its pool; otherwise in a block, by the last tip that has the block.",
      ),
    },
    {
      error: RECEIPT_ERROR,
      executionResult: oneOfWords(EXECUTION_RESULTS[words], "What its public part did; for one in a block."),
      transactionFee: about(DECIMAL, "The fee that was paid, in the fee asset's smallest unit; for one in a block."),
      blockHash: about(BLOCK_HASH, "The block that it is in; for one in a block."),
      blockNumber: about(BLOCK_NUMBER, "The block that it is in; for one in a block."),
      epochNumber: about(EPOCH_NUMBER, "The epoch of that block; for one in a block."),
    },
  );

/** TxReceipt (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export function receiptEncoder(words: RevertWords): Encoder<TxOutcome> {
  return encoder(receiptSchema(words), (out, outcome) => {
    out.text('{"txHash":').word(outcome.txHash).text(`,"status":"${outcome.status}"`);
    if ("settled" in outcome) {
      const { settled, epoch } = outcome;
      const { effect } = settled;
      out.text(`,"executionResult":"${executionResult(effect, words)}"`);
      out.text(',"transactionFee":').decimalBytes(effect.transactionFee, 0, 32);
      out.text(',"blockHash":').word(settled.blockHash);
      out.text(`,"blockNumber":${settled.blockNumber},"epochNumber":${epoch}`);
    } else if (outcome.status === "dropped") {
      out.text(`,"error":"${dropText(outcome.known)}"`);
    }
    out.text("}");
  });
}

export const EFFECT_PLACE = {
  l2BlockHash: about(BLOCK_HASH, "The block that the transaction is in."),
  l2BlockNumber: about(BLOCK_NUMBER, "The block that the transaction is in."),
  txIndexInBlock: about(COUNT, "Its place in the block, from 0."),
};

/** IndexedTxEffect. */
export function indexedEffectEncoder(encodeTxEffect: Encoder<TxEffect>): Encoder<SettledTx> {
  const schema = record("ReleaseIndexedTxEffect", "The effects of a transaction and its place on the chain.", {
    ...EFFECT_PLACE,
    data: encodeTxEffect.schema,
  });
  return encoder(schema, (out, settled) => {
    out.text('{"l2BlockHash":').word(settled.blockHash);
    out.text(`,"l2BlockNumber":${settled.blockNumber},"txIndexInBlock":${settled.txIndexInBlock},"data":`);
    encodeTxEffect(out, settled.effect);
    out.text("}");
  });
}
