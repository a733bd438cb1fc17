import type { L1Block } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import { InconsistentL1Error } from "./errors.ts";
import { followL1Back, rememberL1Block } from "./l1-went-back.ts";
import { pruneProposed } from "./proposed-blocks.ts";
import { explainFailure } from "./pruned-history.ts";
import { replayWorldState } from "./replay-world-state.ts";
import { syncCheckpoints } from "./sync-checkpoints.ts";
import { FinalityFollower } from "./sync-finality.ts";
import { syncMessages } from "./sync-messages.ts";
import type { ChainSource, SyncServices } from "./sync-services.ts";

/**
 * One iteration (docs/protocol/04-l1-contracts.md#427-one-iteration): messages, checkpoints, proven and finalized
 * marks, pruning and reorgs, as of L1's latest block. Iterations must not overlap.
 */
export class SyncIteration implements ChainSource {
  readonly name = "L1";
  readonly waits = false;
  readonly #services: SyncServices;
  readonly #finality = new FinalityFollower();
  #lastProcessed: L1Block | undefined;
  /** L1's latest block when the iteration began. */
  #begunAt: L1Block | undefined;

  constructor(services: SyncServices) {
    this.#services = services;
  }

  /** Makes the next iteration read L1 even if its latest block was processed already. */
  forgetProcessed(): void {
    this.#lastProcessed = undefined;
  }

  close(): void {}

  /** Throws what keeps the iteration from completing; commits up to there stay. */
  async run(): Promise<void> {
    try {
      await this.#iterate().catch(async (error) => {
        if (!(error instanceof InconsistentL1Error) || !(await this.#hasGoneOn())) throw error;
        await this.#iterate();
      });
    } catch (error) {
      throw await explainFailure(this.#services, error);
    }
  }

  /**
   * Whether L1 has a later block than the iteration began with: what was asked at that block may have been answered
   * from the state of the later one, as readAtLatest (src/l1/latest-block.ts) says.
   */
  async #hasGoneOn(): Promise<boolean> {
    const { hash } = await this.#services.reader.latestBlock();
    return this.#begunAt !== undefined && !equal(hash, this.#begunAt.hash);
  }

  async #iterate(): Promise<void> {
    const services = this.#services;
    const { chain, reader, store, emit, initialSync, interruption } = services;
    interruption.signal.throwIfAborted();
    await services.exclusive(() => replayWorldState(services));
    const current = await reader.latestBlock();
    this.#begunAt = current;
    if (this.#lastProcessed !== undefined && equal(this.#lastProcessed.hash, current.hash)) {
      // A block may have been taken in while the iteration before was between its look at them and its end.
      await services.exclusive(async () => pruneProposed(services, current));
      return;
    }
    await followL1Back(services, current);
    await syncMessages(services, current);
    // Knowing the finalized checkpoint early keeps the history short while the initial sync writes it.
    if (!initialSync.complete) await this.#finality.update(services, current);
    const pending = await syncCheckpoints(services, current);
    await services.exclusive(async () => pruneProposed(services, current));
    await this.#finality.update(services, current);
    const remember = await rememberL1Block(services, current);
    store.transaction(() => {
      chain.state.putProcessed(current);
      remember();
    });
    this.#lastProcessed = current;
    if (!initialSync.complete && current.number + 1 >= (await reader.latestBlock()).number) {
      initialSync.complete = true;
      emit("initialSyncComplete", { ...services.times });
    }
    emit("progress", {
      checkpoint: chain.latestCheckpointNumber(),
      targetCheckpoint: Math.max(pending ?? 0, chain.latestCheckpointNumber()),
      block: chain.latestBlockNumber(),
      l1Block: current.number,
      initialSyncComplete: initialSync.complete,
    });
  }
}
