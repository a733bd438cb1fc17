import { ContentError } from "../errors/content-error.ts";
import type { ProposedCheckpoint } from "../l1/types.ts";
import { concat, equal, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { DecodeError } from "../protocol/errors.ts";
import { epochOfSlot } from "../protocol/time.ts";
import { invalidProposal } from "./attestation-verdict.ts";
import { CheckpointCommitter, type CommittableCheckpoint } from "./commit-checkpoints.ts";
import { type Download, rebuildProposal } from "./download-checkpoints.ts";
import { InconsistentL1Error, InvalidCheckpointError, NonSequentialCheckpointError } from "./errors.ts";
import { messagesOfCheckpoint } from "./message-chain.ts";
import type { RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import type { StatusAtL1 } from "./sync-finality.ts";
import { type SyncServices, timed } from "./sync-services.ts";
import { type ChainEnd, checkContinuation } from "./validate-checkpoint.ts";

/** A checkpoint from L1 that continues the chain, to be committed. */
interface CheckedCheckpoint extends CommittableCheckpoint {
  proposal: ProposedCheckpoint;
  /** Blob words that it was rebuilt from. */
  blobs: Uint8Array;
}

/** The next checkpoints of the chain, checked and not yet committed. */
class CheckpointBatch {
  readonly #services: SyncServices;
  readonly #checked: CheckedCheckpoint[] = [];
  #bytes = 0;

  constructor(services: SyncServices) {
    this.#services = services;
  }

  /** Whether it has reached a bound of SyncOptions.commit. */
  get isFull(): boolean {
    const { commit } = this.#services.options;
    return this.#checked.length >= commit.checkpoints || this.#bytes >= commit.bytes;
  }

  /** Empties the batch. Returns what was in it. */
  take(): CheckedCheckpoint[] {
    this.#bytes = 0;
    return this.#checked.splice(0);
  }

  /**
   * Checks the next checkpoint and adds it. Throws InvalidCheckpointError, NonSequentialCheckpointError,
   * InconsistentL1Error.
   */
  async add({ proposal, blobs, rebuilt }: Extract<Download, { kind: "new" }>): Promise<void> {
    const { chain } = this.#services;
    const expected = (this.#checked.at(-1)?.checkpoint.checkpointNumber ?? chain.latestCheckpointNumber()) + 1;
    if (proposal.checkpointNumber < expected) {
      throw new InconsistentL1Error("L1 gave another checkpoint for a number whose archive agreed before", {
        checkpoint: proposal.checkpointNumber,
        archive: toHex(proposal.archiveRoot),
      });
    }
    if (proposal.checkpointNumber > expected) {
      throw new NonSequentialCheckpointError(expected, proposal.checkpointNumber);
    }
    try {
      this.#checked.push(this.#check(proposal, blobs, rebuilt));
    } catch (cause) {
      if (!(cause instanceof ContentError)) throw cause;
      this.#checked.push(await this.rebuildFromCheckedBlobs({ proposal, blobs }, cause));
    }
    this.#bytes += blobs.length;
  }

  /** A rebuilt checkpoint that continues the chain so far. Throws content errors. */
  #check(
    proposal: ProposedCheckpoint,
    blobs: Uint8Array,
    checkpoint: RebuiltCheckpoint | DecodeError,
  ): CheckedCheckpoint {
    if (checkpoint instanceof DecodeError) throw checkpoint;
    const messages = messagesOfCheckpoint(this.#services.chain.messages, proposal.checkpointNumber);
    checkContinuation(checkpoint, this.#end(), messages, this.#epochOutHashes(checkpoint));
    return { proposal, blobs, checkpoint, messages };
  }

  /**
   * Second try for a checkpoint whose blobs do not give what L1 says. Its archive root binds every blob word, so blobs
   * are applied without recomputing their commitments; now they are fetched again with that check, which names and
   * passes over a source that altered them. When they come back the same, the checkpoint itself is invalid.
   */
  async rebuildFromCheckedBlobs(
    { proposal, blobs }: Pick<CheckedCheckpoint, "proposal" | "blobs">,
    cause: unknown,
  ): Promise<CheckedCheckpoint> {
    const { blobs: fetcher, times, initialSync, interruption } = this.#services;
    const { signal } = interruption;
    const historical = !initialSync.complete;
    const found = await timed(times, "blobFetch", () =>
      fetcher.fetch(proposal.l1, proposal.versionedBlobHashes, { historical, recompute: true, signal }),
    );
    const checked = concat(...found);
    if (equal(checked, blobs)) throw new InvalidCheckpointError(proposal, { cause });
    try {
      return this.#check(proposal, checked, await rebuildProposal(this.#services, proposal, checked));
    } catch (again) {
      throw again instanceof ContentError ? new InvalidCheckpointError(proposal, { cause: again }) : again;
    }
  }

  /** End of the chain with the batch on top. */
  #end(): ChainEnd {
    const { chain, reader } = this.#services;
    const last =
      this.#checked.at(-1)?.checkpoint.blocks.at(-1)?.record ?? chain.block(chain.checkpointedBlockNumber())!;
    return {
      blockNumber: last.number,
      archiveRoot: last.number === 0 ? reader.identity.genesisArchiveRoot : last.archiveRoot,
    };
  }

  /** Out hashes of the earlier checkpoints of the same epoch, stored and in the batch. */
  #epochOutHashes({ header }: RebuiltCheckpoint): Uint8Array[] {
    const { chain, reader } = this.#services;
    const epochOf = (h: Uint8Array) => epochOfSlot(checkpointSlot(h), reader.identity.constants);
    const epoch = epochOf(header);
    return [
      ...chain.checkpointsOfEpoch(epoch).map((c) => c.outHash),
      ...this.#checked
        .filter(({ checkpoint }) => epochOf(checkpoint.header) === epoch)
        .map((one) => one.checkpoint.outHash),
    ];
  }
}

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
