import type { CheckpointRecord } from "../../archiver/tables/records.ts";
import { versionedHashOf } from "../../l1/blobs/blob-offer.ts";
import { type PostedAttestations, repackAttestations } from "../../l1/committee/packed-attestations.ts";
import type { RollupReader } from "../../l1/types.ts";
import { equal } from "../../protocol/bytes.ts";
import { ProvingRefusedError } from "./errors.ts";

/** What only the L1 transaction of a checkpoint has. */
export interface PostedCheckpoint {
  /** KZG commitments of its blobs, 48 bytes each. */
  readonly commitments: readonly Uint8Array[];
  readonly attestations: PostedAttestations;
}

/** Reads checkpoints from the L1 transactions that proposed them. */
export class PostedCheckpoints {
  readonly #reader: Pick<RollupReader, "checkpoints">;

  constructor(reader: Pick<RollupReader, "checkpoints">) {
    this.#reader = reader;
  }

  /** Rejects with an L1Error, or a ProvingRefusedError if L1 does not have the checkpoint any more. */
  async read({ number, archiveRoot, l1 }: CheckpointRecord): Promise<PostedCheckpoint> {
    const found = (await this.#reader.checkpoints(l1.number, l1.number)).find(
      (each) => each.checkpointNumber === number && equal(each.archiveRoot, archiveRoot),
    );
    if (found === undefined) {
      throw new ProvingRefusedError(`checkpoint ${number} is not in L1 block ${l1.number} any more`);
    }
    const { blobCommitments, versionedBlobHashes, attestations, unusedBits } = found;
    const fits =
      blobCommitments.length === versionedBlobHashes.length &&
      blobCommitments.every((commitment, i) => equal(versionedHashOf(commitment), versionedBlobHashes[i]));
    if (!fits) throw new ProvingRefusedError(`the blob commitments of checkpoint ${number} are not those of its blobs`);
    return { commitments: blobCommitments, attestations: repackAttestations(attestations, unusedBits) };
  }
}
