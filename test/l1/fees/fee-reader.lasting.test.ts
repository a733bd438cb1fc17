import { expect, test } from "vitest";
import { L1EndpointError, StaleFeesError } from "../../../src/l1/errors.ts";
import { lastingFees } from "../../../src/l1/fees/fee-reader.ts";
import { manaFees } from "../../../src/protocol/fees/gas-fees.ts";

const DOWN = new L1EndpointError("unreachable", "is down", {});

/** A fee reader whose answers count up, and its L1. */
function world() {
  const l1 = { time: 0, asked: 0n, does: "answer" as "answer" | "fail" | "hang" | "break" };
  const answer = async () => {
    l1.asked++;
    if (l1.does === "fail") throw DOWN;
    if (l1.does === "break") throw new TypeError("a fault of the node");
    if (l1.does === "hang") await new Promise(() => {});
    return manaFees(l1.asked);
  };
  const reader = { currentMinFees: answer, predictedMinFees: async () => [await answer()] };
  const fees = lastingFees(reader, { maxAgeMs: 12_000, patienceMs: 20, now: () => l1.time });
  return { l1, fees };
}

test("fees are read at each call while L1 answers", async () => {
  const { fees } = world();
  expect(await fees.currentMinFees()).toEqual(manaFees(1n));
  expect(await fees.currentMinFees()).toEqual(manaFees(2n));
});

test("the last fees are returned while L1 fails or hangs, until they are too old", async () => {
  const { l1, fees } = world();
  await fees.currentMinFees();
  await fees.predictedMinFees("limit");
  l1.time = 11_999;
  for (const does of ["fail", "hang"] as const) {
    l1.does = does;
    expect(await fees.currentMinFees()).toEqual(manaFees(1n));
    expect(await fees.predictedMinFees("limit")).toEqual([manaFees(2n)]);
  }
  l1.does = "fail";
  await expect(fees.predictedMinFees("none")).rejects.toBe(DOWN);
  l1.time = 12_000;
  await expect(fees.currentMinFees()).rejects.toBe(DOWN);
  l1.does = "answer";
  l1.asked = 7n;
  expect(await fees.currentMinFees()).toEqual(manaFees(8n));
});

test("fees that were never read are not made up, and errors of the node itself are not hidden", async () => {
  const { l1, fees } = world();
  l1.does = "fail";
  await expect(fees.currentMinFees()).rejects.toBe(DOWN);
  l1.does = "answer";
  await fees.currentMinFees();
  l1.does = "break";
  await expect(fees.currentMinFees()).rejects.toThrow(TypeError);
});

test("fees that L1 took longer than their maximum age to give are read again, and refused if that lasts", async () => {
  let time = 0;
  let slowReads = 0;
  const slow = lastingFees(
    {
      currentMinFees: async () => {
        await undefined;
        if (slowReads-- > 0) time += 12_000;
        return manaFees(BigInt(time));
      },
      predictedMinFees: () => Promise.reject(DOWN),
    },
    { maxAgeMs: 12_000, patienceMs: 20, now: () => time },
  );
  slowReads = 1;
  expect(await slow.currentMinFees()).toEqual(manaFees(12_000n));
  time = 30_000;
  slowReads = 2;
  await expect(slow.currentMinFees()).rejects.toThrow(StaleFeesError);
  expect(await slow.currentMinFees()).toEqual(manaFees(54_000n));
});
