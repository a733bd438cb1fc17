import type { ProposedCheckpoint } from "../l1/types.ts";
import { writeCheckpointBlobs } from "../protocol/checkpoint-blob-writer.ts";
import type { ChainStore } from "./chain-store.ts";

/**
 * The blobs that the proposed blocks of a checkpoint give, when they end with the archive root that L1 has for it; undefined otherwise.
 *
 * They stand in for the blobs of L1, which then need not be fetched: the checkpoint is rebuilt from them by the same rules as from any
 * blobs. Its header, whose hash L1 has, must agree with every block in slot, time, fees and block headers hash; each block's header
 * hashes every word of its body; and the hashes of the headers are the leaves under the archive root that L1 has. Words that give
 * all of this are the only ones that do, wherever they come from. When they do not, the blobs are fetched after all.
 * What L1's blobs hold is then not looked at: if it were anything else, no proof of the checkpoint could be made, and L1 would prune it.
 */
export function proposedWords(
  chain: ChainStore,
  { checkpointNumber, archiveRoot }: Pick<ProposedCheckpoint, "checkpointNumber" | "archiveRoot">,
): Uint8Array | undefined {
  const last = chain.blockNumberByArchive(archiveRoot);
  const end = last === undefined ? undefined : chain.block(last);
  if (end === undefined || end.number <= chain.checkpointedBlockNumber()) return undefined;
  if (end.checkpointNumber !== checkpointNumber) return undefined;
  const first = end.number - end.indexWithinCheckpoint;
  const numbers = Array.from({ length: end.indexWithinCheckpoint + 1 }, (_, i) => first + i);
  return writeCheckpointBlobs(
    numbers.map((number) => {
      const { header, txCount } = chain.block(number)!;
      return { header, txCount, body: chain.blockBody(number)! };
    }),
  );
}
