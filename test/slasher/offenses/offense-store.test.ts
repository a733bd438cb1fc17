import fc from "fast-check";
import { expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import { type Offense, type OffenseType, slotOfOffense } from "../../../src/protocol/slashing/offense.ts";
import { TestStore } from "../../world/slasher/stores.ts";

const EPOCH_DURATION = 8;

const offense: fc.Arbitrary<Offense> = fc.record({
  // Few validators and times, so that the same offense is often reported again.
  validator: fc.integer({ min: 1, max: 4 }).map((byte) => new Uint8Array(20).fill(byte)),
  amount: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  offenseType: fc.integer({ min: 0, max: 9 }) as fc.Arbitrary<OffenseType>,
  epochOrSlot: fc.bigInt({ min: 0n, max: 20n }),
});

const keyOf = ({ validator, offenseType, epochOrSlot }: Offense) => `${toHex(validator)}:${offenseType}:${epochOrSlot}`;
const slotOf = (one: Offense) => Number(slotOfOffense(one, { epochDuration: EPOCH_DURATION }));
const plain = (list: Iterable<Offense & { slashed: boolean }>) =>
  [...list]
    .map((one) => ({ key: keyOf(one), amount: one.amount, slashed: one.slashed }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

test("the offense store holds each offense once, with its first amount, until its slot expires", async () => {
  const store = new TestStore(EPOCH_DURATION);
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.record({ kind: fc.constant("add" as const), offenses: fc.array(offense, { maxLength: 6 }) }),
            fc.record({ kind: fc.constant("slash" as const), offenses: fc.array(offense, { maxLength: 3 }) }),
            fc.record({ kind: fc.constant("expire" as const), slot: fc.integer({ min: 0, max: 100 }) }),
            fc.record({ kind: fc.constant("reopen" as const) }),
          ),
          { maxLength: 12 },
        ),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 60 }),
        async (steps, first, length) => {
          store.offenses.removeBefore(2 ** 40);
          const model = new Map<string, { offense: Offense; slashed: boolean }>();
          for (const step of steps) {
            if (step.kind === "add") {
              const added = store.offenses.add(step.offenses).map(keyOf);
              const expected: string[] = [];
              for (const one of step.offenses) {
                if (model.has(keyOf(one))) continue;
                model.set(keyOf(one), { offense: one, slashed: false });
                expected.push(keyOf(one));
              }
              expect(added).toEqual(expected);
            } else if (step.kind === "slash") {
              store.offenses.markSlashed(step.offenses);
              for (const one of step.offenses) {
                const known = model.get(keyOf(one));
                if (known !== undefined) known.slashed = true;
              }
            } else if (step.kind === "expire") {
              const old = [...model].filter(([, one]) => slotOf(one.offense) < step.slot);
              expect(store.offenses.removeBefore(step.slot)).toBe(old.length);
              for (const [key] of old) model.delete(key);
            } else await store.reopen();
          }
          const rows = [...model.values()].map(({ offense, slashed }) => ({ ...offense, slashed }));
          expect(plain(store.offenses.range())).toEqual(plain(rows));
          const inRange = rows.filter((one) => slotOf(one) >= first && slotOf(one) < first + length);
          expect(plain(store.offenses.range(first, first + length))).toEqual(plain(inRange));
        },
      ),
      { numRuns: 60 },
    );
  } finally {
    await store.close();
  }
});

test("the offense store refuses an offense that does not fit a row, and stores none of its list", async () => {
  const store = new TestStore(EPOCH_DURATION);
  const validator = new Uint8Array(20).fill(1);
  const good: Offense = { validator, amount: 1n, offenseType: 5, epochOrSlot: 3n };
  expect(() => store.offenses.add([good, { ...good, epochOrSlot: 2n ** 60n }])).toThrow("slot must be below 2^48");
  expect(() => store.offenses.add([good, { ...good, amount: 2n ** 128n }])).toThrow("amount must be below 2^128");
  expect([...store.offenses.range()]).toEqual([]);
  await store.close();
});

test("offenses of a payload that are not stored, or could not be, are not marked as slashed", async () => {
  const store = new TestStore(EPOCH_DURATION);
  const validator = new Uint8Array(20).fill(1);
  store.offenses.add([{ validator, amount: 1n, offenseType: 5, epochOrSlot: 3n }]);
  store.offenses.markSlashed([
    { validator, offenseType: 5, epochOrSlot: 4n },
    { validator, offenseType: 3, epochOrSlot: 2n ** 119n },
    { validator, offenseType: 77 as OffenseType, epochOrSlot: 3n },
  ]);
  expect([...store.offenses.range()].map(({ slashed }) => slashed)).toEqual([false]);
  await store.close();
});

test("the registration slot is read again after a restart", async () => {
  const store = new TestStore(EPOCH_DURATION);
  expect(store.offenses.registrationSlot()).toBeUndefined();
  store.offenses.putRegistrationSlot(77);
  await store.reopen();
  expect(store.offenses.registrationSlot()).toBe(77);
  await store.close();
});
