import type { BlockId, ChainTips } from "../../../archiver/types.ts";
import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, CHECKPOINT_HASH, CHECKPOINT_NUMBER } from "../json/scalars.ts";

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

const BLOCK_ID = record("BlockId", "A block by number and hash.", { number: BLOCK_NUMBER, hash: BLOCK_HASH });
const CHECKPOINT_ID = record("CheckpointId", "A checkpoint by number and hash.", {
  number: CHECKPOINT_NUMBER,
  hash: CHECKPOINT_HASH,
});
const TIP = record("ChainTip", "The last block of a tip and the checkpoint that ends with it.", {
  block: BLOCK_ID,
  checkpoint: CHECKPOINT_ID,
});
const CHAIN_TIPS = record("ChainTips", "How far the chain has come, in four senses; each is behind the one before.", {
  proposed: about(BLOCK_ID, "The last block that the node knows."),
  proven: about(TIP, "The last checkpoint that is proven on L1."),
  finalized: about(TIP, "The last checkpoint whose proof is in a finalized L1 block."),
  checkpointed: about(TIP, "The last checkpoint that is on L1."),
});

/** L2Tips (docs/protocol/05-rpc.md#519-tips-and-synced-time). */
export const encodeTips = encoder<ChainTips>(CHAIN_TIPS, (out, tips) => {
  out.text('{"proposed":');
  encodeId(out, tips.proposed);
  out.text(',"proven":');
  encodeTip(out, tips.proven);
  out.text(',"finalized":');
  encodeTip(out, tips.finalized);
  out.text(',"checkpointed":');
  encodeTip(out, tips.checkpointed);
  out.text("}");
});
