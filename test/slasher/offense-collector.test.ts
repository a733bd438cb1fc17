import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Offense } from "../../src/protocol/slashing/offense.ts";
import { OffenseCollector } from "../../src/slasher/offense-collector.ts";
import { type Logger, silentLogger } from "../../src/telemetry/logger.ts";
import { TestStore } from "../world/slasher/stores.ts";

/** Slots of a second, epochs of 2 slots, rounds of 4. */
const CONSTANTS = { epochDuration: 2, l1GenesisTime: 0, slotDuration: 1 };

let store: TestStore;
let seconds: number;
let warnings: object[];
const settings = { gracePeriodL2Slots: 0, offenseExpirationRounds: 4 };

beforeEach(() => {
  store = new TestStore(CONSTANTS.epochDuration);
  seconds = 0;
  warnings = [];
  Object.assign(settings, { gracePeriodL2Slots: 0, offenseExpirationRounds: 4 });
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

function collector(registrationSlot = 0): OffenseCollector {
  const logger: Logger = { ...silentLogger, warn: (facts) => void warnings.push(facts as object) };
  return new OffenseCollector({
    store: store.offenses,
    constants: CONSTANTS,
    settings,
    registrationSlot,
    rules: () => ({ roundSize: 4, extraRounds: 0, smallestAmount: 10n }),
    now: () => seconds * 1000,
    logger,
  });
}

function offense(epochOrSlot: bigint, offenseType: Offense["offenseType"] = 8, amount = 10n): Offense {
  return { validator: new Uint8Array(20).fill(7), amount, offenseType, epochOrSlot };
}
const times = () => [...store.offenses.range()].map(({ epochOrSlot }) => Number(epochOrSlot));

test("offenses of the grace period after the rollup's registration are ignored", () => {
  settings.gracePeriodL2Slots = 6;
  const slashing = collector(10);
  // Epoch 7 begins with slot 14, epoch 8 with slot 16.
  slashing.report([offense(15n), offense(16n), offense(7n, 3), offense(8n, 3)]);
  expect(times()).toEqual([8, 16]);
  settings.gracePeriodL2Slots = 5;
  slashing.report([offense(15n)]);
  expect(times()).toEqual([15, 8, 16]);
});

test("an offense below the smallest amount is stored with a warning", () => {
  collector().report([offense(1n, 8, 0n), offense(2n, 8, 10n)]);
  expect(times()).toEqual([1, 2]);
  expect(warnings).toMatchObject([{ amount: "0", smallest: 10n }]);
});

test("offenses expire when a round begins, and nothing expires within a round", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const slashing = collector();
  slashing.start();
  slashing.report([offense(3n), offense(4n), offense(7n), offense(8n)]);
  const at = (slot: number) => {
    seconds = slot;
    vi.advanceTimersByTime(1000);
    return times();
  };
  expect(at(15)).toEqual([3, 4, 7, 8]);
  // Round 4: round 0 is 4 rounds old.
  expect(at(16)).toEqual([4, 7, 8]);
  expect(at(19)).toEqual([4, 7, 8]);
  expect(at(20)).toEqual([8]);
  settings.offenseExpirationRounds = 1;
  expect(at(24)).toEqual([]);
  slashing.stop();
});

test("an offense that cannot be stored does not fail its reporter", () => {
  expect(() => collector().report([offense(2n ** 60n)])).not.toThrow();
});
