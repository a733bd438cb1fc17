import type { BlockId, ChainTips } from "../../../archiver/types.ts";
import type { JsonWriter } from "../json-writer.ts";

function encodeId(out: JsonWriter, { number, hash }: BlockId): void {
  out.text(`{"number":${number},"hash":"${hash}"}`);
}

function encodeTip(out: JsonWriter, tip: ChainTips["proven"]): void {
  out.text('{"block":');
  encodeId(out, tip.block);
  out.text(',"checkpoint":');
  encodeId(out, tip.checkpoint);
  out.text("}");
}

/** L2Tips (sheet 02 section 3.2). */
export function encodeTips(out: JsonWriter, tips: ChainTips): void {
  out.text('{"proposed":');
  encodeId(out, tips.proposed);
  out.text(',"proven":');
  encodeTip(out, tips.proven);
  out.text(',"finalized":');
  encodeTip(out, tips.finalized);
  out.text(',"checkpointed":');
  encodeTip(out, tips.checkpointed);
  out.text("}");
}
