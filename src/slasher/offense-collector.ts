import { toHex } from "../protocol/bytes.ts";
import { type Offense, slotOfOffense } from "../protocol/slashing/offense.ts";
import { type L1Constants, slotAt } from "../protocol/time.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { OffenseStore } from "./offenses/offense-store.ts";
import { firstSlotOfRound, roundOfSlot } from "./offenses/rounds.ts";
import type { SlasherSettings } from "./offenses/settings.ts";

/** How often the clock is read for a new round. */
const ROUND_CHECK_MS = 1000;

interface OffenseCollectorParts {
  store: OffenseStore;
  constants: Pick<L1Constants, "epochDuration" | "l1GenesisTime" | "slotDuration">;
  /** Read for each offense and round. */
  settings: Readonly<Pick<SlasherSettings, "gracePeriodL2Slots" | "offenseExpirationRounds">>;
  /** The slot in which the rollup became canonical. */
  registrationSlot: number;
  /**
   * Slots of a round, rounds that offenses are kept longer than the settings say, and the least penalty that gives a
   * vote; undefined while the rollup has no slasher.
   */
  rules(): { roundSize: number; extraRounds: number; smallestAmount: bigint } | undefined;
  /** Unix time in milliseconds. */
  now(): number;
  logger: Logger;
}

/**
 * Stores offenses once each, except those of the grace period, and removes expired ones when a round begins
 * (docs/protocol/12-slashing.md#125-collection).
 */
export class OffenseCollector {
  readonly #parts: OffenseCollectorParts;
  #round = -1;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: OffenseCollectorParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#watchRound();
    this.#timer = setInterval(() => this.#watchRound(), ROUND_CHECK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Never throws: offenses that cannot be stored are logged. */
  report(offenses: readonly Offense[]): void {
    const { store, logger } = this.#parts;
    try {
      const added = store.add(offenses.filter((offense) => !this.#inGrace(offense)));
      for (const offense of added) this.#log(offense);
    } catch (error) {
      logger.error({ err: error, offenses: offenses.map(factsOf) }, "offenses cannot be stored");
    }
  }

  #inGrace(offense: Offense): boolean {
    const { constants, settings, registrationSlot, logger } = this.#parts;
    const end = registrationSlot + settings.gracePeriodL2Slots;
    if (slotOfOffense(offense, constants) >= BigInt(end)) return false;
    logger.debug({ ...factsOf(offense), gracePeriodEnd: end }, "ignored an offense of the grace period");
    return true;
  }

  #log(offense: Offense): void {
    const { rules, logger } = this.#parts;
    const facts = factsOf(offense);
    logger.info(facts, "recorded offense {offenseType} of validator {validator}");
    const smallest = rules()?.smallestAmount;
    if (smallest !== undefined && offense.amount < smallest)
      logger.warn({ ...facts, smallest }, "an offense's penalty is below the smallest amount: alone it gives no vote");
  }

  #watchRound(): void {
    const { store, constants, settings, rules, now, logger } = this.#parts;
    const sizes = rules();
    if (sizes === undefined) return;
    const round = roundOfSlot(slotAt(Math.floor(now() / 1000), constants), sizes);
    if (round === this.#round) return;
    try {
      const kept = Math.max(0, round - settings.offenseExpirationRounds - sizes.extraRounds + 1);
      const expired = store.removeBefore(firstSlotOfRound(kept, sizes));
      this.#round = round;
      logger.debug({ round, expired }, "slashing round {round} began");
    } catch (error) {
      logger.error({ err: error, round }, "expired offenses cannot be removed");
    }
  }
}

function factsOf({ validator, amount, offenseType, epochOrSlot }: Offense) {
  return { validator: toHex(validator), amount: amount.toString(), offenseType, epochOrSlot: epochOrSlot.toString() };
}
