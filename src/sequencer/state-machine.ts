import { Listeners } from "../events/listeners.ts";
import type { Logger } from "../telemetry/logger.ts";
import { SlotSkipped } from "./skip.ts";
import { type SlotConstants, secondsIntoSlot } from "./timetable/slot-clock.ts";
import type { SequencerState } from "./timetable/states.ts";
import { latestEntry, type Timetable } from "./timetable/timetable.ts";

export interface StateChange {
  oldState: SequencerState;
  newState: SequencerState;
  /** The slot in progress; undefined when there is none. */
  slot: number | undefined;
  secondsIntoSlot: number | undefined;
  /** Until the latest time at which the state may be entered; undefined where there is none. */
  secondsLeft?: number;
}

/** States in which no block has been built yet. */
const NOTHING_BUILT: ReadonlySet<SequencerState> = new Set(["PROPOSER_CHECK", "INITIALIZING_CHECKPOINT"]);

interface StateMachineParts {
  constants: SlotConstants;
  timetable(): Timetable;
  /** Unix time in milliseconds. */
  now(): number;
  logger: Logger;
}

/**
 * The sequencer's state (docs/protocol/08-building-and-checkpoints.md#83-states). Deadlines are checked when a state is
 * entered for a slot.
 */
export class StateMachine {
  readonly #parts: StateMachineParts;
  readonly #listeners: Listeners<[StateChange]>;
  #state: SequencerState = "STOPPED";

  constructor(parts: StateMachineParts) {
    this.#parts = parts;
    this.#listeners = new Listeners((error) => parts.logger.error({ err: error }, "a listener of the state failed"));
  }

  get state(): SequencerState {
    return this.#state;
  }

  /** Returns an unsubscribe function. */
  onChange(listener: (change: StateChange) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Throws a SlotSkipped, leaving the state unchanged, when it is too late for the state or the sequencer is stopping.
   */
  enter(state: SequencerState, slot: number): void {
    if (this.#state === "STOPPING" || this.#state === "STOPPED") throw new SlotSkipped("interrupted");
    const { timetable, now, constants } = this.#parts;
    const at = secondsIntoSlot(now(), slot, constants);
    const latest = latestEntry(timetable(), state);
    if (latest !== undefined && at > latest) {
      const reason = NOTHING_BUILT.has(state) ? "started too late" : "deadline missed";
      throw new SlotSkipped(reason, { state, secondsIntoSlot: at, latest });
    }
    this.#change(state, slot, at, latest === undefined ? undefined : latest - at);
  }

  /** Changes to a state that belongs to no slot. */
  rest(state: "STOPPED" | "STOPPING" | "IDLE"): void {
    this.#change(state, undefined, undefined);
  }

  #change(newState: SequencerState, slot: number | undefined, at: number | undefined, secondsLeft?: number): void {
    const oldState = this.#state;
    if (oldState === newState) return;
    this.#state = newState;
    const change = { oldState, newState, slot, secondsIntoSlot: at, ...(secondsLeft !== undefined && { secondsLeft }) };
    this.#parts.logger.debug(change, "sequencer state");
    this.#listeners.emit(change);
  }
}
