import { expect, test } from "vitest";
import { EpochOpenings } from "../../../src/prover/node/epoch-openings.ts";

function openings() {
  const calls: string[] = [];
  const kzg = {
    load: (part: string) => void calls.push(`load ${part}`),
    open: async (blob: Uint8Array) => {
      calls.push(`open ${blob[0]}`);
      if (blob[0] === 0) throw new Error("not a blob");
      return { y: blob, proof: blob };
    },
    release: () => void calls.push("release"),
  };
  return { calls, openings: new EpochOpenings(kzg) };
}
const blob = (first: number) => Uint8Array.of(first);

test("what opens blobs is loaded when an epoch begins, and released when no epoch needs it any more", async () => {
  const { calls, openings: made } = openings();
  const first = made.begin();
  const second = made.begin();
  await first.open(blob(1), blob(9));
  first.end();
  expect(calls).toEqual(["load points", "load points", "open 1"]);
  await second.open(blob(2), blob(9));
  expect(calls.slice(3)).toEqual(["open 2", "release"]);
  second.end();
  expect(calls.length).toBe(5);
});

test("an epoch that ends without a proof, or whose blobs cannot be opened, needs it no longer", async () => {
  const { calls, openings: made } = openings();
  made.begin().end();
  expect(calls).toEqual(["load points", "release"]);
  await expect(made.begin().open(blob(0), blob(9))).rejects.toThrow("not a blob");
  expect(calls.slice(2)).toEqual(["load points", "open 0", "release"]);
});
