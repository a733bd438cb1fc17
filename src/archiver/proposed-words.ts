import type { ProposedCheckpoint } from "../l1/types.ts";
import { writeCheckpointBlobs } from "../protocol/checkpoint-blob-writer.ts";
import type { ChainStore } from "./chain-store.ts";

/**
 * The blobs built from the proposed blocks of a checkpoint, if these end with the checkpoint's archive root on L1;
 * undefined otherwise.
 *
 * They replace L1's blobs, which then need not be fetched: the checkpoint is rebuilt from them by the same rules as
 * from any blobs. Its header, whose hash is on L1, must match every block in slot, time, fees and block headers hash;
 * each block's header commits to every word of its body; and the header hashes are the leaves under the archive root on
 * L1. Only one sequence of words satisfies all of this, whatever its source. If it does not, the blobs are fetched
 * after all. L1's own blobs are not checked in this case: if they held anything else, the checkpoint could not be
 * proven and L1 would prune it.
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
