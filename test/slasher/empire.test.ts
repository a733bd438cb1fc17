import { expect, test } from "vitest";
import { packOffense, unpackOffense } from "../../src/l1/slashing/slash-factory.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import type { Offense, OffenseType } from "../../src/protocol/slashing/offense.ts";
import { compareOffenses, firstEligibleRound, isEligible } from "../../src/slasher/empire/eligibility.ts";
import { disagreement, idealPayload, payloadScore } from "../../src/slasher/empire/payloads.ts";

/** Rounds of 8 slots, epochs of 4, proofs within 3 epochs. */
const TERMS = { roundSize: 8, epochDuration: 4, proofSubmissionEpochs: 3, expirationRounds: 4 };
const LIMITS = { maxPayloadSize: 2, minPenaltyPercentage: 0.5, maxPenaltyPercentage: 2 };

const offense = (validator: number, offenseType: OffenseType, epochOrSlot: bigint, amount = 10n): Offense => ({
  validator: new Uint8Array(20).fill(validator),
  amount,
  offenseType,
  epochOrSlot,
});
const address = (validator: number) => toHex(new Uint8Array(20).fill(validator));

test("an offense becomes eligible one round after all nodes can know it", () => {
  const first = (offenseType: OffenseType, epochOrSlot: bigint) =>
    firstEligibleRound({ offenseType, epochOrSlot }, TERMS);
  // Epoch 5 is slots 20 to 23; epoch 6 begins in round 3, epoch 8 in round 4.
  expect([0, 3].map((type) => first(type as OffenseType, 5n))).toEqual([4, 4]);
  expect([1, 2].map((type) => first(type as OffenseType, 5n))).toEqual([5, 5]);
  // Slot 23 is the last of round 2.
  expect([4, 5, 6, 7, 8, 9].map((type) => first(type as OffenseType, 22n))).toEqual([3, 3, 3, 3, 3, 3]);
  expect(first(8, 23n)).toBe(4);
});

test("an offense is eligible for as many further rounds as offenses live", () => {
  const rounds = Array.from({ length: 10 }, (_, round) => round);
  expect(rounds.filter((round) => isEligible({ offenseType: 8, epochOrSlot: 22n }, round, TERMS))).toEqual([
    3, 4, 5, 6, 7,
  ]);
});

test("offenses are ordered by certainty, amount, time, validator and type", () => {
  const list = [
    offense(2, 3, 4n, 10n),
    offense(1, 8, 4n, 10n),
    offense(1, 9, 4n, 10n),
    offense(1, 8, 3n, 10n),
    offense(1, 8, 9n, 20n),
    offense(3, 5, 9n, 1n),
  ];
  expect([...list].sort(compareOffenses).map((one) => list.indexOf(one))).toEqual([5, 4, 3, 2, 1, 0]);
});

test("the own payload has the first offenses, added up and sorted by validator", () => {
  const slashes = idealPayload([offense(9, 8, 7n), offense(2, 8, 9n, 5n), offense(9, 3, 1n, 8n)], 2);
  expect(slashes).toEqual([
    {
      validator: address(9),
      amount: 18n,
      offenses: [
        { epochOrSlot: 1n, offenseType: 3 },
        { epochOrSlot: 7n, offenseType: 8 },
      ],
    },
  ]);
});

test("a payload is agreed to if its offenses are known, its amounts near the own ones and no certain one left out", () => {
  const eligible = [offense(1, 8, 7n, 10n), offense(2, 5, 7n, 10n), offense(3, 8, 7n, 10n)];
  const slash = (validator: number, offenseType: number, amount: bigint, epochOrSlot = 7n) => ({
    validator: address(validator),
    amount,
    offenses: [{ epochOrSlot, offenseType }],
  });
  const why = (...slashes: ReturnType<typeof slash>[]) => disagreement(slashes, eligible, LIMITS);
  expect(why(slash(1, 8, 10n), slash(2, 5, 10n))).toBeUndefined();
  expect(why(slash(1, 8, 5n), slash(2, 5, 20n))).toBeUndefined();
  expect(why(slash(1, 8, 4n), slash(2, 5, 10n))).toMatch("too little");
  expect(why(slash(1, 8, 21n), slash(2, 5, 10n))).toMatch("too much");
  expect(why(slash(1, 8, 10n, 8n), slash(2, 5, 10n))).toMatch("not known or not eligible");
  expect(why(slash(1, 8, 10n), slash(3, 8, 10n))).toMatch("leaves out offense 5");
  expect(why(slash(1, 8, 10n), slash(2, 5, 10n), slash(3, 8, 10n))).toMatch("more than 2 validators");
  expect(payloadScore([slash(1, 8, 10n), slash(2, 5, 5n)], 2)).toBe(45n);
});

test("an offense in a payload is its type above 120 bits of its time", () => {
  const packed = packOffense({ offenseType: 9, epochOrSlot: 1234n });
  expect(packed).toBe((9n << 120n) + 1234n);
  expect(unpackOffense(packed)).toEqual({ offenseType: 9, epochOrSlot: 1234n });
});
