import type { RevertWords } from "../../ports/node-status.ts";
import { blockEncoder } from "./block.ts";
import { checkpointedBlockEncoder, publishedCheckpointEncoder } from "./checkpoint.ts";
import { indexedEffectEncoder, receiptEncoder } from "./receipt.ts";
import { txEffectEncoder } from "./tx-effect.ts";

/** Encoders whose form of reverted transactions depends on the release. */
type EffectForms = ReturnType<typeof formsOf>;

function formsOf(words: RevertWords) {
  const encodeTxEffect = txEffectEncoder(words);
  const encodeBlock = blockEncoder(encodeTxEffect);
  return {
    encodeTxEffect,
    encodeIndexedEffect: indexedEffectEncoder(encodeTxEffect),
    encodeReceipt: receiptEncoder(words),
    encodeBlock,
    encodeCheckpointedBlock: checkpointedBlockEncoder(encodeBlock),
    encodePublishedCheckpoint: publishedCheckpointEncoder(encodeBlock),
  };
}

/** The release namespace's forms, by the release whose words they have. */
export const EFFECT_FORMS: Readonly<Record<RevertWords, EffectForms>> = {
  "4.3": formsOf("4.3"),
  "4.1": formsOf("4.1"),
};
