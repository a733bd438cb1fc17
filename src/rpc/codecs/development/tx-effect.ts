import type { SettledTx } from "../../../archiver/content-types.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import { SLOT_NUMBER } from "../json/scalars.ts";
import { EFFECT_PLACE } from "../release/receipt.ts";
import { shownRevertCode } from "../release/revert-words.ts";
import { REVERT_CODE, txEffectSchema, writeTxEffect } from "../release/tx-effect.ts";

const TX_EFFECT = txEffectSchema("TxEffect", REVERT_CODE);

/** TxEffect; the revert code is 0 or 1 in this namespace (docs/protocol/05-rpc.md#517-transaction-effects). */
export const encodeTxEffect = encoder<TxEffect>(TX_EFFECT, (out, effect) => {
  writeTxEffect(out, effect, shownRevertCode(effect, "4.3"));
});

const INDEXED_EFFECT = record("IndexedTxEffect", "The effects of a transaction and its place on the chain.", {
  data: encodeTxEffect.schema,
  ...EFFECT_PLACE,
  slotNumber: about(SLOT_NUMBER, "The slot of the block."),
});

/** IndexedTxEffect (docs/protocol/05-rpc.md#517-transaction-effects). */
export const encodeIndexedEffect = encoder<SettledTx>(INDEXED_EFFECT, (out, settled) => {
  out.text('{"data":');
  encodeTxEffect(out, settled.effect);
  out.text(`,"l2BlockNumber":${settled.blockNumber},"l2BlockHash":`).word(settled.blockHash);
  out.text(`,"txIndexInBlock":${settled.txIndexInBlock},"slotNumber":${settled.slotNumber}}`);
});
