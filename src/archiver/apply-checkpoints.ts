import { ContentError } from "../errors/content-error.ts";
import type { ProposedCheckpoint } from "../l1/types.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { invalidProposal } from "./attestation-verdict.ts";
import { type CheckedCheckpoint, CheckpointBatch } from "./checkpoint-batch.ts";
import { CheckpointCommitter } from "./commit-checkpoints.ts";
import type { Download } from "./download-checkpoints.ts";
import { InconsistentL1Error, InvalidCheckpointError } from "./errors.ts";
import type { StatusAtL1 } from "./sync-finality.ts";
import type { SyncServices } from "./sync-services.ts";

/** Takes downloads in order, and checks and commits them in batches. A failure keeps every commit before it. */
export class CheckpointApplier {
  readonly #services: SyncServices;
  readonly #batch: CheckpointBatch;
  readonly #committer: CheckpointCommitter;

  /** `status`: L1's tips at the start of this iteration. */
  constructor(services: SyncServices, status: StatusAtL1) {
    this.#services = services;
    this.#batch = new CheckpointBatch(services);
    this.#committer = new CheckpointCommitter(services, status);
  }

  /** Throws InvalidCheckpointError, NonSequentialCheckpointError, InconsistentL1Error. */
  async add(download: Download): Promise<void> {
    const { proposal } = download;
    switch (download.kind) {
      case "invalid":
        await this.flush();
        this.#passOver(download);
        return;
      case "known":
        await this.flush();
        this.#republish(proposal);
        return;
      case "new":
        await this.#batch.add(download);
        if (this.#batch.isFull) await this.flush();
    }
  }

  /**
   * Commits what has been added. When the batch does not apply as a whole, everything before the checkpoint at fault
   * does.
   */
  async flush(): Promise<void> {
    const batch = this.#batch.take();
    if (batch.length === 0) return;
    const { chain } = this.#services;
    try {
      await this.#committer.commit(batch);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const committed = chain.latestCheckpointNumber();
      for (const one of batch) if (one.checkpoint.checkpointNumber > committed) await this.#commitOne(one);
    }
  }

  /** Commits a checkpoint alone; if it does not apply, once more with blobs that are fetched again and checked. */
  async #commitOne(one: CheckedCheckpoint): Promise<void> {
    try {
      await this.#committer.commit([one]);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const rebuilt = await this.#batch.rebuildFromCheckedBlobs(one, error);
      try {
        await this.#committer.commit([rebuilt]);
      } catch (cause) {
        throw cause instanceof ContentError ? new InvalidCheckpointError(one.proposal, { cause }) : cause;
      }
    }
  }

  /**
   * Only the latest one moves the sync point: reading that ends before it begins again, and leaves none of them out.
   */
  #republish(proposal: ProposedCheckpoint): void {
    const { chain, store } = this.#services;
    const { checkpointNumber } = proposal;
    const known = chain.checkpoint(checkpointNumber);
    if (known === undefined || !equal(known.archiveRoot, proposal.archiveRoot)) {
      throw new InconsistentL1Error("a checkpoint changed while it was downloaded", {
        checkpoint: checkpointNumber,
      });
    }
    store.transaction(() => {
      const { l1, attestations, feeAssetPriceModifier } = proposal;
      chain.republishCheckpoint(checkpointNumber, { l1, attestations, feeAssetPriceModifier });
      if (checkpointNumber === chain.latestCheckpointNumber()) chain.state.putSyncPoint("checkpoint-sync", l1);
    });
  }

  /**
   * The first invalid proposal of a run is remembered; one of the same number takes its place
   * (docs/protocol/04-l1-contracts.md#422-invalid-attestations).
   */
  #passOver({ proposal, verdict }: Extract<Download, { kind: "invalid" }>): void {
    const { chain, store, emit, logger } = this.#services;
    const invalid = invalidProposal(proposal, verdict);
    const remembered = chain.state.invalidProposal();
    if (remembered === undefined || remembered.checkpointNumber === invalid.checkpointNumber) {
      store.transaction(() => chain.state.putInvalidProposal(invalid));
    }
    if (remembered !== undefined && equal(remembered.archiveRoot, invalid.archiveRoot)) return;
    logger.warn(
      {
        checkpoint: proposal.checkpointNumber,
        archive: toHex(proposal.archiveRoot),
        l1Block: proposal.l1.number,
        reason: verdict.reason,
        invalidIndex: verdict.invalidIndex,
        epoch: verdict.epoch,
      },
      "passed over a checkpoint with invalid attestations",
    );
    emit("invalidAttestations", invalid);
  }
}
