import { setTimeout as sleep } from "node:timers/promises";
import { Listeners } from "../events/listeners.ts";
import { L1Error } from "../l1/errors.ts";
import type { BuildWait } from "./build-blocks.ts";
import { type PublishedCheckpoint, runCheckpointJob } from "./checkpoint-job.ts";
import { invalidateLate } from "./late-invalidation.ts";
import { proposerTurn, slotProposer } from "./proposer-turn.ts";
import type { SequencerParts } from "./sequencer-parts.ts";
import type { SequencerSettings } from "./settings.ts";
import { type SkipReason, SlotSkipped } from "./skip.ts";
import { type SlotCounts, SlotLedger } from "./slot-ledger.ts";
import { SlotRequests } from "./slot-requests.ts";
import { type StateChange, StateMachine } from "./state-machine.ts";
import { secondsIntoSlot, slotOfNextL1Block } from "./timetable/slot-clock.ts";
import type { SequencerState } from "./timetable/states.ts";
import { l1PublishingTime, type Timetable, timetable } from "./timetable/timetable.ts";

interface SequencerStatus {
  state: SequencerState;
  paused: boolean;
  slots: SlotCounts;
  lastPublished: PublishedCheckpoint | undefined;
}

/** Reasons for which a proposer builds nothing but still votes. */
const VOTES_WITHOUT_CHECKPOINT: ReadonlySet<SkipReason> = new Set(["escape hatch", "no attesters", "too few peers"]);

/**
 * Proposes checkpoints (docs/protocol/08-building-and-checkpoints.md#84-one-turn). Each turn of the loop works for the
 * slot of the next L1 block. No failure of a turn ends the loop. Why a slot was not proposed is logged and counted once
 * the slot is over.
 */
export class Sequencer {
  readonly #parts: SequencerParts;
  readonly #states: StateMachine;
  readonly #ledger: SlotLedger;
  readonly #publishedListeners: Listeners<[PublishedCheckpoint]>;
  readonly #stopping = new AbortController();
  #settings: SequencerSettings;
  #timetable: Timetable;
  /** Aborted while paused. */
  #pause = new AbortController();
  /** Aborted while held, see `hold`. */
  #hold = new AbortController();
  #holds = 0;
  #emptyBlocks = false;
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  /** Last slot for which blocks may have been built. */
  #attempted = -1;
  /** Last slot that was voted in without a checkpoint. */
  #votedAlone = -1;
  /** Last slot in which this node tried to remove a bad checkpoint out of turn. */
  #invalidatedIn = -1;
  #lastPublished: PublishedCheckpoint | undefined;
  #buildWait: BuildWait | undefined;

  /** Throws a TimetableError when the slot has no room for a block. */
  constructor(parts: SequencerParts, settings: SequencerSettings) {
    this.#parts = parts;
    this.#settings = { ...settings };
    this.#timetable = this.#timetableOf(settings);
    this.#ledger = new SlotLedger(parts.logger, (slot, reason) => {
      parts.dutyTimes.missed(slot, "propose checkpoint", reason);
    });
    this.#publishedListeners = new Listeners((error) => {
      parts.logger.error({ err: error }, "a listener of the sequencer failed");
    });
    this.#states = new StateMachine({
      constants: parts.reader.identity.constants,
      timetable: () => this.#timetable,
      now: parts.now,
      logger: parts.logger,
    });
  }

  #timetableOf(settings: SequencerSettings): Timetable {
    const { l1ChainId: chainId, constants } = this.#parts.reader.identity;
    const { slotDuration, ethereumSlotDuration } = constants;
    return timetable({
      slotDuration,
      ethereumSlotDuration,
      l1PublishingTime: l1PublishingTime(settings.l1PublishingTime, { chainId, ethereumSlotDuration }),
      propagationTime: settings.attestationPropagationTime,
      blockDurationMs: settings.blockDurationMs,
      enforced: settings.enforceTimeTable,
    });
  }

  status(): SequencerStatus {
    return {
      state: this.#states.state,
      paused: this.#pause.signal.aborted,
      slots: this.#ledger.counts(),
      lastPublished: this.#lastPublished,
    };
  }

  /** The wait in progress while building for a slot, if any. Time control may move the clock to shorten it. */
  get buildWait(): BuildWait | undefined {
    return this.#buildWait;
  }

  /** Whether a checkpoint of the slot may still get onto L1 although no turn works for it. */
  isPublishing(slot: number): boolean {
    return this.#parts.publisher.isPublishing(slot);
  }

  get timetable(): Timetable {
    return this.#timetable;
  }

  /** Returns an unsubscribe function. */
  onStateChange(listener: (change: StateChange) => void): () => void {
    return this.#states.onChange(listener);
  }

  /** The listener is called with each checkpoint of this node that L1 accepted. Returns an unsubscribe function. */
  onPublished(listener: (checkpoint: PublishedCheckpoint) => void): () => void {
    return this.#publishedListeners.add(listener);
  }

  /** Throws a TimetableError when the settings would leave no time for a block. */
  check(changes: Partial<SequencerSettings>): void {
    this.#timetableOf({ ...this.#settings, ...changes });
  }

  /**
   * Applies settings from the next turn on. Throws a TimetableError and changes nothing when they leave no time for a
   * block.
   */
  configure(changes: Partial<SequencerSettings>): void {
    const settings = { ...this.#settings, ...changes };
    this.#timetable = this.#timetableOf(settings);
    this.#settings = settings;
    this.wake();
  }

  start(): void {
    if (this.#loop !== undefined) return;
    this.#states.rest("IDLE");
    const { maxBlocks, initializeDeadline, blockDuration } = this.#timetable;
    this.#parts.logger.info(
      { maxBlocks, initializeDeadline, blockDuration },
      "the sequencer is running: up to {maxBlocks:block} a slot",
    );
    this.#loop = this.#run();
  }

  /** Aborts a running turn at its next step. Transactions already sent to L1 are not cancelled. */
  async stop(): Promise<void> {
    if (this.#loop === undefined) return;
    this.#states.rest("STOPPING");
    this.#stopping.abort();
    await this.#loop;
    this.#ledger.close();
    const ended = Object.entries(this.#ledger.counts()).filter(([, count]) => count > 0);
    this.#parts.logger.info({ slots: Object.fromEntries(ended) }, "the sequencer has stopped");
    this.#states.rest("STOPPED");
  }

  /** From now on no block is begun. A checkpoint that has blocks is still published. Pending txs stay in the pool. */
  pause(): void {
    if (this.#pause.signal.aborted) return;
    this.#pause.abort();
    this.#parts.logger.info({}, "the sequencer is paused");
  }

  resume(): void {
    if (!this.#pause.signal.aborted) return;
    this.#pause = new AbortController();
    this.#parts.logger.info({}, "the sequencer is resumed");
    this.wake();
  }

  /**
   * No block is begun until the returned function is called, because the clock is about to move into another slot. Call
   * it while no block is being built. A wait for txs ends. Holds may overlap.
   */
  hold(): () => void {
    this.#hold.abort();
    this.#holds++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      if (--this.#holds > 0) return;
      this.#hold = new AbortController();
      this.wake();
    };
  }

  /** A slot whose building begins before the returned function is called gets a block without txs if there are none. */
  allowEmptyBlocks(): () => void {
    this.#emptyBlocks = true;
    // A turn that already waits for txs begins again.
    this.hold()();
    return () => {
      this.#emptyBlocks = false;
    };
  }

  /**
   * Starts the next turn at once and makes waits read the clock again. Call it when the clock or the chain has moved.
   */
  wake(): void {
    this.#wake.abort();
    this.#wake = new AbortController();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const woken = this.#wake.signal;
      await this.#turn();
      const over = AbortSignal.any([signal, woken]);
      await sleep(this.#settings.pollingIntervalMs, undefined, { signal: over }).catch(() => {});
    }
  }

  /** Never rejects. */
  async #turn(): Promise<void> {
    if (this.#hold.signal.aborted) return;
    const { reader, now } = this.#parts;
    const slot = slotOfNextL1Block(now(), reader.identity.constants);
    this.#ledger.begin(slot);
    if (this.#settings.enforceTimeTable && this.#attempted >= slot) return;
    if (this.#lastPublished !== undefined && this.#lastPublished.slot >= slot) return;
    try {
      if (this.#pause.signal.aborted) throw new SlotSkipped("paused");
      this.#published(await this.#propose(slot));
    } catch (error) {
      this.#skipped(slot, error);
      if (error instanceof SlotSkipped) await this.#withoutCheckpoint(slot, error);
    } finally {
      if (!this.#stopping.signal.aborted) this.#states.rest("IDLE");
    }
  }

  async #propose(slot: number): Promise<PublishedCheckpoint> {
    const settings = this.#emptyBlocks
      ? { ...this.#settings, minTxsPerBlock: 0, minValidTxsPerBlock: 0 }
      : this.#settings;
    this.#states.enter("SYNCHRONIZING", slot);
    const turn = await proposerTurn(this.#parts, slot, {
      disabled: settings.disabledValidators,
      minPeers: settings.minPeersToPropose,
      enterProposerCheck: () => this.#states.enter("PROPOSER_CHECK", slot),
    });
    this.#parts.pool.slotStarted(slot);
    this.#attempted = slot;
    return await runCheckpointJob(this.#parts, turn, {
      settings,
      timetable: this.#timetable,
      states: this.#states,
      stop: this.#stopping.signal,
      pause: AbortSignal.any([this.#pause.signal, this.#hold.signal]),
      woken: () => this.#wake.signal,
      onWait: (wait) => {
        this.#buildWait = wait;
      },
    });
  }

  /** Never rejects. */
  async #withoutCheckpoint(slot: number, skipped: SlotSkipped): Promise<void> {
    const leaves = skipped.reason === "not proposer" || skipped.reason === "too few peers";
    if (leaves && this.#invalidatedIn < slot) await this.#invalidateLate(slot);
    await this.#voteAlone(slot, skipped);
  }

  /** Removes a bad checkpoint out of turn, with one try in a slot. Never rejects. */
  async #invalidateLate(slot: number): Promise<void> {
    const { chain, reader, logger } = this.#parts;
    if (chain.state.invalidProposal() === undefined) return;
    try {
      const { committee = [] } = await slotProposer({ reader }, slot);
      const tried = await invalidateLate(this.#parts, { slot, committee }, this.#settings, this.#stopping.signal);
      if (tried) this.#invalidatedIn = slot;
    } catch (error) {
      logger.warn(
        { slot, err: error },
        "the committee of the slot cannot be read, so no bad checkpoint is removed in it",
      );
    }
  }

  /**
   * Votes in a slot without a checkpoint, once (docs/protocol/08-building-and-checkpoints.md#823-governance-signals).
   * Never rejects.
   */
  async #voteAlone(slot: number, { reason }: SlotSkipped): Promise<void> {
    if (this.#votedAlone >= slot) return;
    const { governanceProposerPayload: payload } = this.#settings;
    const { reader, now, keys, logger } = this.#parts;
    const late = secondsIntoSlot(now(), slot, reader.identity.constants) > this.#timetable.initializeDeadline;
    if (!(VOTES_WITHOUT_CHECKPOINT.has(reason) || (reason === "not synced" && late))) return;
    this.#votedAlone = slot;
    try {
      const { proposer } = await slotProposer({ reader }, slot);
      if (proposer === undefined || !keys().attesterAddresses().includes(proposer)) return;
      const { signal } = this.#stopping;
      const voter = { slot, proposer, payload };
      await new SlotRequests(this.#parts, { slot, proposer, voter }, signal).sendRest(signal);
    } catch (cause) {
      logger.warn({ slot, err: cause }, "the proposer of the slot cannot be read, so no votes are sent for it");
    }
  }

  #published(checkpoint: PublishedCheckpoint): void {
    const { logger } = this.#parts;
    this.#lastPublished = checkpoint;
    this.#ledger.published(checkpoint.slot);
    logger.debug(checkpoint, "published a checkpoint");
    this.#publishedListeners.emit(checkpoint);
  }

  #skipped(slot: number, error: unknown): void {
    if (this.#stopping.signal.aborted) {
      this.#ledger.skipped(slot, "interrupted", {});
    } else if (error instanceof SlotSkipped && error.reason === "interrupted") {
      // No block was built before the pause or hold, so the slot can be tried again. A held sequencer was waiting for
      // txs.
      this.#attempted = Math.min(this.#attempted, slot - 1);
      this.#ledger.skipped(slot, this.#pause.signal.aborted ? "paused" : "no txs", {});
    } else if (error instanceof SlotSkipped) {
      this.#ledger.skipped(slot, error.reason, error.facts);
    } else if (error instanceof L1Error) {
      // L1 is read only before blocks are built, and the publisher returns its failures as outcomes. So no block was
      // built, and the slot can be tried again.
      this.#attempted = Math.min(this.#attempted, slot - 1);
      this.#ledger.skipped(slot, "L1 unavailable", { error: error.message });
    } else {
      const message = error instanceof Error ? error.message : String(error);
      this.#parts.logger.error({ slot, err: error }, "proposing failed");
      this.#ledger.skipped(slot, "failed", { error: message });
    }
  }
}
