import type { SettledTx } from "../../../archiver/content-types.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { JsonWriter } from "../json-writer.ts";
import { writeTxEffect } from "../v4/tx-effect.ts";

/** TxEffect, whose revert code is 0 or 1 in this namespace (sheet 03 section 4.13). */
export function encodeTxEffect(out: JsonWriter, effect: TxEffect): void {
  writeTxEffect(out, effect, Math.min(effect.revertCode, 1));
}

/** IndexedTxEffect (sheet 03 section 4.14). */
export function encodeIndexedEffect(out: JsonWriter, settled: SettledTx): void {
  out.text('{"data":');
  encodeTxEffect(out, settled.effect);
  out.text(`,"l2BlockNumber":${settled.blockNumber},"l2BlockHash":`).word(settled.blockHash);
  out.text(`,"txIndexInBlock":${settled.txIndexInBlock},"slotNumber":${settled.slotNumber}}`);
}
