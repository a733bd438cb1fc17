import type { L1Block } from "../l1/types.ts";
import { type AtomicBlocks, applyInParts, cutIntoParts } from "../world-state/apply-in-parts.ts";
import type { PreparedBlocks } from "../world-state/types.ts";
import type { CheckpointPublication } from "./chain-store.ts";
import { keepProposed } from "./proposed-blocks.ts";
import type { RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { reportRefusedEvents } from "./refused-events.ts";
import { blockEffects } from "./replay-world-state.ts";
import { applyProven, type StatusAtL1, settleWorldState } from "./sync-finality.ts";
import type { ApplyServices } from "./sync-services.ts";

/** A checkpoint that continues the chain, to be committed. */
export interface CommittableCheckpoint {
  proposal: CheckpointPublication;
  checkpoint: RebuiltCheckpoint;
  messages: Uint8Array[];
}

/** The tips of L1, or of a node that follows it, as far as a commit of checkpoints adopts them. */
export type AdoptedTips = Pick<StatusAtL1, "provenCheckpointNumber" | "provenArchive" | "pendingCheckpointNumber"> &
  Partial<Pick<StatusAtL1, "l1">>;

/** A checkpoint, and those of its blocks that are not stored yet. */
interface NewCheckpoint extends AtomicBlocks {
  checked: CommittableCheckpoint;
  blocks: RebuiltBlock[];
}

/**
 * Commits checked checkpoints, a part of a batch at a time: world state, chain rows, sync point and tips in one
 * transaction each.
 */
export class CheckpointCommitter {
  readonly #services: ApplyServices;
  /** L1's tips at the start of this iteration. */
  readonly #status: AdoptedTips;

  constructor(services: ApplyServices, status: AdoptedTips) {
    this.#services = services;
    this.#status = status;
  }

  /** Throws a ContentError when the blocks do not give the state that their headers name; earlier parts stay. */
  commit(batch: CommittableCheckpoint[]): Promise<void> {
    return this.#services.exclusive(() => this.#commit(batch));
  }

  /** Commits checkpoints part by part, the blocks that are stored already left out. */
  async #commit(batch: CommittableCheckpoint[]): Promise<void> {
    const { worldState, times } = this.#services;
    const added = keepProposed(
      this.#services,
      batch.flatMap(({ checkpoint }) => checkpoint.blocks),
    );
    const checkpoints = batch.map((checked): NewCheckpoint => {
      const blocks = added.filter(({ record }) => record.checkpointNumber === checked.checkpoint.checkpointNumber);
      return { checked, blocks, effects: blocks.map((block) => blockEffects(block, checked.messages)) };
    });
    const [start, committing] = [performance.now(), times.commit];
    try {
      await applyInParts(worldState, cutIntoParts(checkpoints), (part, prepared) => this.#write(part, prepared));
    } finally {
      times.prepare += performance.now() - start - (times.commit - committing);
    }
  }

  /** Commits checkpoints with their trees, in one transaction, then notifies the listeners. */
  #write(part: NewCheckpoint[], prepared: PreparedBlocks | undefined): void {
    const { chain, worldState, store, times, emit } = this.#services;
    const { l1 } = part[part.length - 1].checked.proposal;
    const start = performance.now();
    const proven = store.transaction(() => {
      if (prepared !== undefined) worldState.write(prepared);
      for (const { checked } of part) chain.addCheckpoint(checked.checkpoint, checked.proposal);
      chain.state.putSyncPoint("checkpoint-sync", l1);
      chain.state.putInvalidProposal(undefined);
      const adopted = applyProven(this.#services, this.#status);
      settleWorldState(this.#services);
      return adopted;
    });
    times.commit += performance.now() - start;
    const blocks = part.flatMap((checkpoint) => checkpoint.blocks);
    times.checkpoints += part.length;
    times.blocks += blocks.length;
    times.txs += blocks.reduce((sum, { txs }) => sum + txs.length, 0);
    for (const block of blocks) reportRefusedEvents(this.#services, block);
    if (prepared !== undefined) emit("blocksAdded", { first: prepared.first, last: prepared.last });
    if (proven !== undefined) emit("proven", proven);
    this.#progress(l1);
  }

  #progress(l1: L1Block): void {
    const { chain, emit, initialSync } = this.#services;
    emit("progress", {
      checkpoint: chain.latestCheckpointNumber(),
      targetCheckpoint: Math.max(this.#status.pendingCheckpointNumber, chain.latestCheckpointNumber()),
      block: chain.latestBlockNumber(),
      l1Block: l1.number,
      initialSyncComplete: initialSync.complete,
    });
  }
}
