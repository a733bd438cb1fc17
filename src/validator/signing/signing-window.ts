import { type L1Constants, slotAt, slotTimestamp } from "../../protocol/time.ts";
import { type Duty, dutyFault } from "./duty.ts";
import { SigningRefusedError } from "./signing-refused-error.ts";

/** Clocks of peers may differ by this much, so a proposal of the next slot may come that much earlier. */
const TOLERANCE_MS = 1000;
/** A duty can still be signed during this many slots after its own. */
const LATE_SLOTS = 1;

/**
 * When a duty may be signed. No duty is signed before a slot's work can begin, one L1 slot ahead. This bounds what an
 * earlier process can have signed: nothing newer than `newestSlot` at the time of its end.
 */
export class SigningWindow {
  readonly #times: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">;
  readonly #now: () => number;

  /** `now` is Unix time in ms. */
  constructor(times: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  /** The newest slot that a duty may be signed for now. */
  newestSlot(): number {
    const aheadMs = this.#times.ethereumSlotDuration * 1000 + TOLERANCE_MS;
    return slotAt(Math.floor((this.#now() + aheadMs) / 1000), this.#times);
  }

  /** Milliseconds until the slot of a duty is over; negative afterwards. */
  msLeft({ slot }: Pick<Duty, "slot">): number {
    return slotTimestamp(slot + 1, this.#times) * 1000 - this.#now();
  }

  /**
   * Throws a SigningRefusedError unless the duty may be signed now, and a RangeError for numbers that are not valid.
   */
  check(validator: string, duty: Duty): void {
    const fault = dutyFault(duty);
    if (fault !== undefined) throw new RangeError(fault);
    const nowMs = this.#now();
    const secondsToStart = Math.ceil(slotTimestamp(duty.slot, this.#times) - nowMs / 1000);
    if (duty.slot > this.newestSlot()) {
      throw new SigningRefusedError(validator, duty, "time", `the slot begins in ${secondsToStart} s`);
    }
    const current = slotAt(Math.floor(nowMs / 1000), this.#times);
    if (duty.slot < current - LATE_SLOTS) {
      throw new SigningRefusedError(validator, duty, "time", `slot ${current} has begun`);
    }
  }
}
