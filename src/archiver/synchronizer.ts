import { EventListeners } from "../events/event-listeners.ts";
import { Interruption } from "../events/interruption.ts";
import { oneAtATime } from "../events/one-at-a-time.ts";
import { errorFacts } from "./error-facts.ts";
import { StoreMismatchError, SyncPausedError } from "./errors.ts";
import { FailureLog } from "./failure-log.ts";
import { addProposedBlock } from "./proposed-blocks.ts";
import type { ProposedBlock } from "./rebuilt-checkpoint.ts";
import { backoff } from "./retry.ts";
import { rollBack } from "./roll-back.ts";
import { SyncHealth } from "./sync-health.ts";
import { SyncIteration } from "./sync-iteration.ts";
import {
  type ApplyServices,
  type ChainSource,
  DEFAULT_SYNC_OPTIONS,
  type L1Services,
  noTimes,
  type SyncEvents,
  type SyncOptions,
  type SyncStageTimes,
} from "./sync-services.ts";

type SynchronizerConfig = Pick<ApplyServices, "store" | "chain" | "worldState" | "rebuild" | "logger"> & {
  options?: Partial<SyncOptions>;
} & (L1Services | { reader: ApplyServices["reader"]; source: (services: ApplyServices) => ChainSource });

/**
 * Follows the rollup on L1, or what another source brings of it (see ChainSource), one iteration (sync-iteration.ts)
 * after the other. Each commit holds world state and chain together, so a process may end at any instruction. Whatever
 * can heal (L1 down, slow or contradicting itself, missing or altered blobs, checkpoints that break the protocol) is
 * logged and tried again with growing pauses; nothing stops the loop.
 */
export class Synchronizer {
  readonly times: SyncStageTimes = noTimes();
  readonly health = new SyncHealth();
  readonly #services: ApplyServices;
  readonly #options: SyncOptions;
  readonly #listeners: EventListeners<SyncEvents>;
  readonly #source: ChainSource;
  readonly #failureLog: FailureLog;
  readonly #stopping = new AbortController();
  /** Ends the work that runs, between two commits. A pause uses it up. */
  readonly #interruption = new Interruption();
  readonly #initialSync = Promise.withResolvers<void>();
  /** Iterations never overlap: each waits for the one before. */
  #running: Promise<void> = Promise.resolve();
  #loop: Promise<void> | undefined;
  #paused = false;
  #wake: () => void = () => {};
  #poked = false;

  constructor({ options, ...config }: SynchronizerConfig) {
    this.#options = { ...DEFAULT_SYNC_OPTIONS, ...options };
    const { store, chain, worldState, rebuild, reader, logger } = config;
    this.#listeners = new EventListeners((event, error) => {
      logger.error({ event, ...errorFacts(error) }, "a listener of the synchronizer failed");
    });
    const shared: Omit<ApplyServices, "reader"> = {
      ...{ store, chain, worldState, rebuild, logger },
      options: this.#options,
      emit: this.#listeners.emit,
      exclusive: oneAtATime(),
      times: this.times,
      initialSync: { complete: false },
      interruption: this.#interruption,
    };
    this.#services = Object.assign(shared, { reader });
    this.#source =
      "source" in config
        ? config.source(this.#services)
        : new SyncIteration(
            Object.assign(shared, {
              reader: config.reader,
              blobs: config.blobs,
              validateAttestations: config.validateAttestations,
            }),
          );
    this.#failureLog = new FailureLog(logger, this.#source.name);
    this.#initialSync.promise.catch(() => {});
    this.on("pendingCheckpoint", (number) => this.health.sawPending(number));
    this.on("initialSyncComplete", () => this.#initialSync.resolve());
  }

  /** Listeners are called after the commit that they are told about. Returns an unsubscribe function. */
  on<K extends keyof SyncEvents>(event: K, listener: (...args: SyncEvents[K]) => void): () => void {
    return this.#listeners.on(event, listener);
  }

  get initialSyncComplete(): boolean {
    return this.#services.initialSync.complete;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Resolves once the chain has been caught up with; rejects when the synchronizer stops before. */
  waitForInitialSync(): Promise<void> {
    return this.#initialSync.promise;
  }

  /** Takes settings over at once: a pause between iterations that is under way ends. */
  configure(options: Partial<Pick<SyncOptions, "pollingIntervalMs" | "batchSize">>): void {
    Object.assign(this.#options, options);
    this.#wake();
  }

  /**
   * Begins to follow L1. A world state that is behind the chain is one whose replay was cut off, and goes on. Throws
   * StoreMismatchError when it is ahead: chain and world state are not of one store.
   */
  start(): void {
    const { chain, worldState } = this.#services;
    const { tip } = worldState.status();
    if (tip > chain.latestBlockNumber()) throw new StoreMismatchError(chain.latestBlockNumber(), tip);
    this.#loop ??= this.#follow();
  }

  /** Ends after the current commit. What was committed stays; nothing else does. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#interruption.end(this.#stopping.signal.reason);
    this.#wake();
    this.#initialSync.reject(this.#stopping.signal.reason);
    this.#source.close();
    await Promise.allSettled([this.#loop, this.#running]);
    await this.#services.exclusive(async () => {});
  }

  /**
   * Stops reading L1 until resume(). An iteration that runs ends after its current commit; resolves when none runs any
   * more.
   */
  async pause(): Promise<void> {
    this.#paused = true;
    this.#interruption.interrupt(new SyncPausedError());
    await Promise.allSettled([this.#running]);
    await this.#services.exclusive(async () => {});
  }

  resume(): void {
    this.#paused = false;
    this.#wake();
  }

  /** Has the next iteration begin at once, after the one that may be running: there is news on L1. */
  poke(): void {
    this.#poked = true;
    this.#wake();
  }

  /**
   * Stores a block on top of the chain before its checkpoint is on L1. Waits for no iteration, only for a commit that
   * may be under way. Resolves once the block is stored and listeners were told. Rejects with
   * ProposedBlockRefusedError, DecodeError, StateMismatchError, WorldStateError, or SyncPausedError while paused.
   */
  addProposedBlock(block: ProposedBlock): Promise<void> {
    if (this.#paused) return Promise.reject(new SyncPausedError());
    const { signal } = this.#interruption;
    return this.#services.exclusive(() => {
      signal.throwIfAborted();
      return addProposedBlock(this.#services, block);
    });
  }

  /**
   * One iteration, after the one that may be running. Throws what keeps it from completing; commits up to there stay.
   */
  syncOnce(): Promise<void> {
    return this.#afterRunning(() => this.#source.run());
  }

  /**
   * Takes chain and world state back to block `target`, the end of a checkpoint, after the iteration that may be
   * running. Unless paused, the next iteration reads L1 from there. Throws RollbackRefusedError.
   */
  rollBackTo(target: number): Promise<void> {
    return this.#afterRunning(async () => {
      try {
        await rollBack(this.#services, target);
      } finally {
        this.#source.forgetProcessed();
      }
    });
  }

  /** Work that was asked for before a pause does not begin after it. */
  #afterRunning(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#interruption;
    const begin = (): Promise<void> => {
      signal.throwIfAborted();
      return work();
    };
    const run = this.#running.then(begin, begin);
    this.#running = run;
    run.catch(() => {});
    return run;
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { pollingIntervalMs, maxBackoffMs } = this.#options;
      this.#poked = false;
      const { signal } = this.#interruption;
      let pause = this.#source.waits ? 0 : this.initialSyncComplete ? pollingIntervalMs : pollingIntervalMs / 10;
      if (!this.#paused) {
        try {
          await this.syncOnce();
          this.#failureLog.succeeded();
          this.health.succeeded();
        } catch (error) {
          if (this.#stopping.signal.aborted) return;
          if (!signal.aborted) {
            this.#failureLog.failed(error);
            this.health.failed(error);
            pause = backoff(this.#failureLog.failures, pollingIntervalMs, maxBackoffMs);
          }
        }
      }
      await this.#sleep(this.#paused ? undefined : pause);
    }
  }

  /** Sleeps until the time is over (never, without one) or the loop is woken. */
  #sleep(milliseconds: number | undefined): Promise<void> {
    if (this.#stopping.signal.aborted || this.#poked || milliseconds === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
