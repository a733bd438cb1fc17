import { ContentError } from "../errors/content-error.ts";
import type { L1Block, ProposedCheckpoint, RollupStatus } from "../l1/types.ts";
import { concat, equal, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { DecodeError } from "../protocol/errors.ts";
import { epochOfSlot } from "../protocol/time.ts";
import { type AtomicBlocks, applyInParts, cutIntoParts } from "../world-state/apply-in-parts.ts";
import type { PreparedBlocks } from "../world-state/types.ts";
import { invalidProposal } from "./attestation-verdict.ts";
import { type Download, rebuildProposal } from "./download-checkpoints.ts";
import { InconsistentL1Error, InvalidCheckpointError, NonSequentialCheckpointError } from "./errors.ts";
import { messagesOfCheckpoint } from "./message-chain.ts";
import { keepProposed } from "./proposed-blocks.ts";
import type { RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { reportRefusedEvents } from "./refused-events.ts";
import { blockEffects } from "./replay-world-state.ts";
import { applyProven, settleWorldState } from "./sync-finality.ts";
import { type SyncServices, timed } from "./sync-services.ts";
import { type ChainEnd, checkContinuation } from "./validate-checkpoint.ts";

interface Pending {
  proposal: ProposedCheckpoint;
  /** What it was rebuilt from. */
  blobs: Uint8Array;
  checkpoint: RebuiltCheckpoint;
  messages: Uint8Array[];
}

/** A checkpoint, and those of its blocks that are not stored yet. */
interface NewCheckpoint extends AtomicBlocks {
  pending: Pending;
  blocks: RebuiltBlock[];
}

/**
 * Takes downloads in order, rebuilds and checks them, and applies them in batches, a part of a batch at a time: world
 * state, chain rows, sync point and tips in one transaction each. A failure keeps every commit before it.
 */
export class CheckpointApplier {
  readonly #services: SyncServices;
  /** L1's tips at the start of this iteration. */
  readonly #status: RollupStatus;
  readonly #batch: Pending[] = [];
  #batchBytes = 0;

  constructor(services: SyncServices, status: RollupStatus) {
    this.#services = services;
    this.#status = status;
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
        await this.#append(download);
    }
  }

  async #append({ proposal, blobs, rebuilt }: Extract<Download, { kind: "new" }>): Promise<void> {
    const { chain, options } = this.#services;
    const expected = (this.#batch.at(-1)?.checkpoint.checkpointNumber ?? chain.latestCheckpointNumber()) + 1;
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
      this.#batch.push(this.#pending(proposal, blobs, rebuilt));
    } catch (cause) {
      if (!(cause instanceof ContentError)) throw cause;
      this.#batch.push(await this.#rebuildFromChecked(proposal, blobs, cause));
    }
    this.#batchBytes += blobs.length;
    const { commit } = options;
    if (this.#batch.length >= commit.checkpoints || this.#batchBytes >= commit.bytes) await this.flush();
  }

  /** A rebuilt checkpoint that continues the chain so far. Throws content errors. */
  #pending(proposal: ProposedCheckpoint, blobs: Uint8Array, checkpoint: RebuiltCheckpoint | DecodeError): Pending {
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
  async #rebuildFromChecked(proposal: ProposedCheckpoint, blobs: Uint8Array, cause: unknown): Promise<Pending> {
    const { blobs: fetcher, times, historical, signal } = this.#services;
    const found = await timed(times, "blobFetch", () =>
      fetcher.fetch(proposal.l1, proposal.versionedBlobHashes, { historical: historical(), recompute: true, signal }),
    );
    const checked = concat(...found);
    if (equal(checked, blobs)) throw new InvalidCheckpointError(proposal, { cause });
    try {
      return this.#pending(proposal, checked, await rebuildProposal(this.#services, proposal, checked));
    } catch (again) {
      throw again instanceof ContentError ? new InvalidCheckpointError(proposal, { cause: again }) : again;
    }
  }

  /** End of the chain with the batch on top. */
  #end(): ChainEnd {
    const { chain, reader } = this.#services;
    const last = this.#batch.at(-1)?.checkpoint.blocks.at(-1)?.record ?? chain.block(chain.checkpointedBlockNumber())!;
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
      ...this.#batch.filter(({ checkpoint }) => epochOf(checkpoint.header) === epoch).map((p) => p.checkpoint.outHash),
    ];
  }

  /**
   * Commits what has been added. When the batch does not apply as a whole, everything before the checkpoint at fault
   * does.
   */
  async flush(): Promise<void> {
    const batch = this.#batch.splice(0);
    this.#batchBytes = 0;
    if (batch.length === 0) return;
    const { chain } = this.#services;
    try {
      await this.#commit(batch);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const committed = chain.latestCheckpointNumber();
      for (const one of batch) if (one.checkpoint.checkpointNumber > committed) await this.#commitChecked(one);
    }
  }

  async #commitChecked(one: Pending): Promise<void> {
    try {
      await this.#commit([one]);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      const checked = await this.#rebuildFromChecked(one.proposal, one.blobs, error);
      try {
        await this.#commit([checked]);
      } catch (cause) {
        throw cause instanceof ContentError ? new InvalidCheckpointError(one.proposal, { cause }) : cause;
      }
    }
  }

  #commit(batch: Pending[]): Promise<void> {
    return this.#services.exclusive(() => this.#commitNow(batch));
  }

  /** Commits checkpoints part by part, the blocks that are stored already left out. */
  async #commitNow(batch: Pending[]): Promise<void> {
    const { worldState, times } = this.#services;
    const added = keepProposed(
      this.#services,
      batch.flatMap(({ checkpoint }) => checkpoint.blocks),
    );
    const checkpoints = batch.map((pending): NewCheckpoint => {
      const blocks = added.filter(({ record }) => record.checkpointNumber === pending.checkpoint.checkpointNumber);
      return { pending, blocks, effects: blocks.map((block) => blockEffects(block, pending.messages)) };
    });
    const [start, committing] = [performance.now(), times.commit];
    try {
      await applyInParts(worldState, cutIntoParts(checkpoints), (part, prepared) => this.#write(part, prepared));
    } finally {
      times.prepare += performance.now() - start - (times.commit - committing);
    }
  }

  /** Commits checkpoints with their trees, in one transaction, and tells of them. */
  #write(part: NewCheckpoint[], prepared: PreparedBlocks | undefined): void {
    const { chain, worldState, store, times, emit } = this.#services;
    const { l1 } = part[part.length - 1].pending.proposal;
    const start = performance.now();
    const announceProven = store.transaction(() => {
      if (prepared !== undefined) worldState.write(prepared);
      for (const { pending } of part) chain.addCheckpoint(pending.checkpoint, pending.proposal);
      chain.state.putSyncPoint("checkpoint-sync", l1);
      chain.state.putInvalidProposal(undefined);
      const announce = applyProven(this.#services, this.#status);
      settleWorldState(this.#services);
      return announce;
    });
    times.commit += performance.now() - start;
    const blocks = part.flatMap((checkpoint) => checkpoint.blocks);
    times.checkpoints += part.length;
    times.blocks += blocks.length;
    times.txs += blocks.reduce((sum, { txs }) => sum + txs.length, 0);
    for (const block of blocks) reportRefusedEvents(this.#services, block);
    if (prepared !== undefined) emit("blocksAdded", { first: prepared.first, last: prepared.last });
    announceProven();
    this.#progress(l1);
  }

  #progress(l1: L1Block): void {
    const { chain, emit, historical } = this.#services;
    emit("progress", {
      checkpoint: chain.latestCheckpointNumber(),
      targetCheckpoint: Math.max(this.#status.pendingCheckpointNumber, chain.latestCheckpointNumber()),
      block: chain.latestBlockNumber(),
      l1Block: l1.number,
      initialSyncComplete: !historical(),
    });
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
