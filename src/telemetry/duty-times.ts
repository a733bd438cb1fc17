import type { Logger } from "./logger.ts";
import { DistributionCounter } from "./metrics/distribution.ts";
import type { Distribution } from "./metrics/metrics.ts";

/** Work of a slot whose time is limited. */
export type DutyName = "execute block" | "attest" | "propose block" | "propose checkpoint";

/** In the order in which they happen; a duty has some of them. */
export type DutyStep =
  | "received"
  | "collected"
  | "built"
  | "executed"
  | "checked"
  | "signed"
  | "sent"
  | "attested"
  | "published";

/** When the steps of a duty were done. Times are milliseconds from the start of its slot, negative before it. */
export interface TimedDuty {
  readonly duty: DutyName;
  /** Index within the checkpoint; undefined for duties that a slot has once. */
  readonly index: number | undefined;
  /** The duty is of no use later; undefined: not known. */
  readonly due: number | undefined;
  readonly steps: Readonly<Partial<Record<DutyStep, number>>>;
}

export interface TimedSlot {
  readonly slot: number;
  /** In the order in which they began. */
  readonly duties: readonly TimedDuty[];
}

/** A duty that was not done, or too late. */
export interface MissedDuty {
  readonly slot: number;
  readonly duty: DutyName;
  readonly reason: string;
}

interface DutyTimesOptions {
  /** Unix milliseconds at which a slot starts. */
  startOf(slot: number): number;
  /** Milliseconds from the start of a slot after which a duty is of no use. */
  due(duty: DutyName): number | undefined;
  /** Unix milliseconds. */
  now(): number;
  /** Called with each slot once it is over. */
  ended?(slot: TimedSlot): void;
  logger: Logger;
}

/** Upper bounds of the seconds that duties left of their time; negative for those that were too late. */
export const LEFT_SECONDS = [-10, -2, 0, 0.5, 1, 2, 5, 10, 20, 40] as const;

/** Slots that are remembered. */
const KEPT_SLOTS = 32;
/** Duties of a slot that are remembered; a proposer can make others execute more blocks than it has indices. */
const MAX_DUTIES = 64;
/** Misses that are remembered. */
const KEPT_MISSES = 256;
const MAX_REASON_LENGTH = 500;

interface OpenDuty extends TimedDuty {
  readonly steps: Partial<Record<DutyStep, number>>;
}

/** Measures what a node does within each slot, and keeps the latest slots. */
export class DutyTimes {
  readonly #options: DutyTimesOptions;
  /** Duties by name and index, for each slot. */
  readonly #slots = new Map<number, Map<string, OpenDuty>>();
  readonly #left = new Map<DutyName, DistributionCounter>();
  /** By slot and duty, in the order in which they were noted. */
  readonly #missed = new Map<string, MissedDuty>();

  constructor(options: DutyTimesOptions) {
    this.#options = options;
  }

  /**
   * Notes that a step is done now, or was done `agoMs` before. Of a step that is done several times, as a signature of
   * each key, the last one counts.
   */
  done(slot: number, step: DutyStep, { duty, index, agoMs = 0 }: { duty: DutyName; index?: number; agoMs?: number }) {
    const { now, startOf, due } = this.#options;
    const duties = this.#dutiesOf(slot);
    const key = `${duty} ${index ?? ""}`;
    let timed = duties?.get(key);
    if (timed === undefined) {
      if (duties === undefined || duties.size >= MAX_DUTIES) return;
      timed = { duty, index, due: due(duty), steps: {} };
      duties.set(key, timed);
    }
    timed.steps[step] = Math.round(now() - agoMs - startOf(slot));
  }

  /** Notes why a duty of a slot was not done; the last reason counts. */
  missed(slot: number, duty: DutyName, reason: string): void {
    const key = `${slot} ${duty}`;
    this.#missed.delete(key);
    this.#missed.set(key, { slot, duty, reason: reason.slice(0, MAX_REASON_LENGTH) });
    if (this.#missed.size <= KEPT_MISSES) return;
    const [oldest] = this.#missed.keys();
    this.#missed.delete(oldest);
  }

  /** The latest misses, newest slot first. */
  misses(): MissedDuty[] {
    return [...this.#missed.values()].sort((a, b) => b.slot - a.slot);
  }

  /** The latest slots with duties, newest first. */
  recent(): TimedSlot[] {
    return [...this.#slots]
      .sort(([a], [b]) => b - a)
      .map(([slot, duties]) => ({
        slot,
        duties: [...duties.values()].map((duty) => ({ ...duty, steps: { ...duty.steps } })),
      }));
  }

  /** Seconds that the duties of past slots left of their time, for those whose end is known. */
  left(): [DutyName, Distribution][] {
    return [...this.#left].map(([duty, seconds]) => [duty, seconds.read()]);
  }

  /** Logs the slots that are still open. */
  close(): void {
    for (const slot of this.#slots.keys()) this.#log(slot);
    this.#slots.clear();
  }

  #dutiesOf(slot: number): Map<string, OpenDuty> | undefined {
    const duties = this.#slots.get(slot);
    if (duties !== undefined) return duties;
    const newest = Math.max(...this.#slots.keys());
    if (slot <= newest - KEPT_SLOTS) return undefined;
    if (slot > newest) this.#log(newest);
    const opened = new Map<string, OpenDuty>();
    this.#slots.set(slot, opened);
    for (const old of this.#slots.keys()) if (old <= Math.max(slot, newest) - KEPT_SLOTS) this.#slots.delete(old);
    return opened;
  }

  #count(duty: DutyName, seconds: number): void {
    let counted = this.#left.get(duty);
    if (counted === undefined) {
      counted = new DistributionCounter(LEFT_SECONDS);
      this.#left.set(duty, counted);
    }
    counted.record(seconds);
  }

  /** One line for a slot that is over. */
  #log(slot: number): void {
    const duties = [...(this.#slots.get(slot)?.values() ?? [])];
    if (duties.length > 0) this.#options.ended?.({ slot, duties });
    const lefts = duties.flatMap(({ duty, due, steps }) => {
      if (due === undefined) return [];
      const left = due - Math.max(...Object.values(steps));
      this.#count(duty, left / 1000);
      if (left < 0) this.missed(slot, duty, `done ${-left} ms too late`);
      return [left];
    });
    if (lefts.length === 0) return;
    const left = Math.min(...lefts);
    const times = duties.map(({ duty, index, steps }) => ({ duty, index, ...steps }));
    const { logger } = this.#options;
    const facts = { slot, left, duties: times };
    if (left < 0) logger.warn(facts, "a duty of slot {slot} was done too late, by the times in duties");
    else logger.debug(facts, "the duties of slot {slot} ended {left} ms before their deadline");
  }
}
