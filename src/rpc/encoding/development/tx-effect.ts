import type { SettledTx } from "../../../archiver/content-types.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import { about, record } from "../../schema/json-schema.ts";
import { SLOT_NUMBER } from "../../schema/scalars.ts";
import { encoder } from "../encoder.ts";
import { shownRevertCode } from "../revert-words.ts";
import { EFFECT_PLACE } from "../v4/receipt.ts";
import { REVERT_CODE, txEffectSchema, writeTxEffect } from "../v4/tx-effect.ts";

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
