import { setTimeout as sleep } from "node:timers/promises";
import { Listeners } from "../events/listeners.ts";
import { L1Error } from "../l1/errors.ts";
import type { BlockBreak } from "./build-blocks.ts";
import { type PublishedCheckpoint, runCheckpointJob } from "./checkpoint-job.ts";
import { drawnProposer, proposerTurn } from "./proposer-turn.ts";
import type { SequencerParts } from "./sequencer-parts.ts";
import type { SequencerSettings } from "./settings.ts";
import { type SkipReason, SlotSkipped } from "./skip.ts";
import { type SlotCounts, SlotLedger } from "./slot-ledger.ts";
import { type StateChange, StateMachine } from "./state-machine.ts";
import { secondsIntoSlot, slotOfNextL1Block } from "./timetable/slot-clock.ts";
import type { SequencerState } from "./timetable/states.ts";
import { l1PublishingTime, type Timetable, timetable } from "./timetable/timetable.ts";
import { SlotVotes } from "./votes/slot-votes.ts";

export interface SequencerStatus {
  state: SequencerState;
  paused: boolean;
  slots: SlotCounts;
  lastPublished: PublishedCheckpoint | undefined;
}

/** Reasons for which a proposer builds nothing and votes. */
const VOTES_ALL_THE_SAME: ReadonlySet<SkipReason> = new Set(["escape hatch", "no attesters"]);

/**
 * Proposes checkpoints (sheet 08 section 3.3): one turn after the other, each for the slot in which the next L1 block comes. Nothing that
 * happens in a turn ends the loop; why a slot was not proposed is logged and counted once it is over.
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
  /** Aborted while held. */
  #hold = new AbortController();
  #wake = new AbortController();
  #loop: Promise<void> | undefined;
  /** Last slot for which blocks may have been built. */
  #attempted = -1;
  #votedAnyway = -1;
  #lastPublished: PublishedCheckpoint | undefined;
  #break: BlockBreak | undefined;

  /** Throws a TimetableError when the slot has no room for a block. */
  constructor(parts: SequencerParts, settings: SequencerSettings) {
    this.#parts = parts;
    this.#settings = { ...settings };
    this.#timetable = this.#timetableOf(settings);
    this.#ledger = new SlotLedger(parts.logger);
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

  /** The wait between blocks of a slot that may be under way: whoever moves the clock may shorten it. */
  get blockBreak(): BlockBreak | undefined {
    return this.#break;
  }

  get timetable(): Timetable {
    return this.#timetable;
  }

  /** Returns the way to leave. */
  onStateChange(listener: (change: StateChange) => void): () => void {
    return this.#states.onChange(listener);
  }

  /** Told of each checkpoint that L1 took from this node. Returns the way to leave. */
  onPublished(listener: (checkpoint: PublishedCheckpoint) => void): () => void {
    return this.#publishedListeners.add(listener);
  }

  /** Throws a TimetableError when settings would leave no time for a block. */
  check(changes: Partial<SequencerSettings>): void {
    this.#timetableOf({ ...this.#settings, ...changes });
  }

  /** Takes settings over from the next turn on. Throws a TimetableError, and nothing changes, when they leave no time for a block. */
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

  /** Ends the turn that may be running at its next step; what it sent to L1 stays sent. */
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

  /** No block is begun from now on; a checkpoint with blocks is still published. Pending txs stay where they are. */
  pause(): void {
    if (this.#pause.signal.aborted) return;
    this.#pause.abort();
    this.#parts.logger.info({}, "the sequencer is paused");
  }

  resume(): void {
    if (!this.#pause.signal.aborted) return;
    this.#pause = new AbortController();
    this.#parts.logger.info({}, "the sequencer goes on");
    this.wake();
  }

  /**
   * No block is begun until the returned function is called: the clock is about to move into another slot. To be called while nothing is
   * being built; a wait for txs ends.
   */
  hold(): () => void {
    this.#hold.abort();
    return () => {
      this.#hold = new AbortController();
      this.wake();
    };
  }

  /** Has the next turn begin at once, and a wait look at the clock: the clock or the chain has moved. */
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
      await this.#voteAnyway(slot, error);
    } finally {
      if (!this.#stopping.signal.aborted) this.#states.rest("IDLE");
    }
  }

  async #propose(slot: number): Promise<PublishedCheckpoint> {
    const settings = this.#settings;
    this.#states.enter("SYNCHRONIZING", slot);
    const turn = await proposerTurn(this.#parts, slot, {
      disabled: settings.disabledValidators,
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
      onBreak: (pause) => {
        this.#break = pause;
      },
    });
  }

  /** Votes of a slot for which nothing is built, once (sheet 08 sections 3.3 and 3.6). Never rejects. */
  async #voteAnyway(slot: number, error: unknown): Promise<void> {
    const { governanceProposerPayload: payload } = this.#settings;
    if (payload === undefined || this.#votedAnyway >= slot || !(error instanceof SlotSkipped)) return;
    const { reader, now, keys, logger } = this.#parts;
    const { reason } = error;
    const late = secondsIntoSlot(now(), slot, reader.identity.constants) > this.#timetable.initializeDeadline;
    if (!(VOTES_ALL_THE_SAME.has(reason) || (reason === "not synced" && late))) return;
    this.#votedAnyway = slot;
    try {
      const { proposer } = await drawnProposer({ reader }, slot);
      if (proposer === undefined || !keys().attesterAddresses().includes(proposer)) return;
      const { signal } = this.#stopping;
      await new SlotVotes(this.#parts, { slot, proposer, payload }, signal).sendRest(signal);
    } catch (cause) {
      logger.warn({ slot, error: cause }, "whose votes the slot may have is not known");
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
      // Nothing was built before the pause: the slot can be tried again after it. What is held waited for txs.
      this.#attempted = Math.min(this.#attempted, slot - 1);
      this.#ledger.skipped(slot, this.#pause.signal.aborted ? "paused" : "no txs", {});
    } else if (error instanceof SlotSkipped) {
      this.#ledger.skipped(slot, error.reason, error.facts);
    } else if (error instanceof L1Error) {
      // L1 is asked before blocks are built, and the publisher answers for itself: nothing was built, so the slot can be tried again.
      this.#attempted = Math.min(this.#attempted, slot - 1);
      this.#ledger.skipped(slot, "L1 unavailable", { error: error.message });
    } else {
      const message = error instanceof Error ? error.message : String(error);
      this.#parts.logger.error({ slot, err: error }, "proposing failed");
      this.#ledger.skipped(slot, "failed", { error: message });
    }
  }
}
