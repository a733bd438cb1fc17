import { expect, test } from "vitest";
import { recentFees } from "../../src/mempool/recent-fees.ts";
import { manaFees } from "../../src/protocol/fees/gas-fees.ts";

test("fees are read once while they are recent, and again after a failure", async () => {
  let time = 0;
  let asked = 0;
  let failing = false;
  const reader = {
    async currentMinFees() {
      asked++;
      if (failing) throw new Error("no L1");
      return manaFees(BigInt(asked));
    },
  };
  const fees = recentFees(reader, { maxAgeMs: 100, now: () => time });
  expect(await Promise.all([fees.currentMinFees(), fees.currentMinFees()])).toEqual([manaFees(1n), manaFees(1n)]);
  time = 99;
  expect(await fees.currentMinFees()).toEqual(manaFees(1n));
  time = 100;
  expect(await fees.currentMinFees()).toEqual(manaFees(2n));
  time = 200;
  failing = true;
  await expect(fees.currentMinFees()).rejects.toThrow("no L1");
  failing = false;
  expect(await fees.currentMinFees()).toEqual(manaFees(4n));
});
