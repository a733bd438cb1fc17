import { afterAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { hashChain, type TileChain } from "../../src/core/tile-chain.ts";
import { type TileNode, tileJob } from "../../src/core/tile-job.ts";
import { toHex } from "../../src/protocol/bytes.ts";

const core = loadCore();
const pool = new CorePool({ size: 2 });
afterAll(() => pool.close());

/** Deterministic canonical words. */
function sampleWords(count: number): Uint8Array {
  return new Uint8Array(count * 32).map((_, i) => (i % 32 === 0 ? 0 : (i * 31 + (i >> 5)) & 255));
}

test("hashing on the pool's threads gives the results of this thread, in order", async () => {
  const inputs = sampleWords(2 * 150);
  expect(await pool.hashMany(inputs, 2)).toEqual(core.hashMany(inputs, 2));
  expect(await pool.hashMany(new Uint8Array(0), 2)).toEqual(new Uint8Array(0));
});

/** Two levels over empty tiles, each with a row of `row` bytes. */
function sampleChain(row = 0): TileChain {
  const tile = (nodes: TileNode[]) => ({ nodes });
  const facts = { keepsWhole: () => false, readRow: () => row };
  const lower = Array.from({ length: 8 }, (_, t) =>
    tile([{ block: 7, bottom: t, source: sampleWords(t + 1), at: t * 32, isPreimage: false }]),
  );
  const upper = [
    tile(Array.from({ length: 8 }, (_, bottom) => ({ block: 7, bottom, source: undefined, at: 0, isPreimage: false }))),
  ];
  const first = tileJob(lower, { height: 3, baseLevel: 0, arity: 3, separator: undefined }, facts);
  const second = tileJob(upper, { height: 3, baseLevel: 3, arity: 3, separator: 77 }, facts);
  return { jobs: [first.job, second.job], rootsTo: [Uint32Array.from(second.blanks)] };
}

test("a chain of tiles hashed on a thread is as hashed here, its upper tile over the roots of the lower ones", async () => {
  const here = hashChain(core, sampleChain());
  expect(await pool.hashTiles(sampleChain())).toEqual(here);
  let nodes = here[0].roots;
  while (nodes.length > 32) {
    const pairs = Array.from({ length: nodes.length / 64 }, (_, i) => nodes.subarray(i * 64, i * 64 + 64));
    nodes = Buffer.concat(pairs.map((pair) => core.hashWithSeparator(77, pair)));
  }
  expect(toHex(here[1].roots)).toBe(toHex(nodes));
});

test("a failing task rejects its call, and the pool continues", async () => {
  await expect(pool.hashMany(new Uint8Array(33), 1)).rejects.toThrow("inputs must be whole runs of 32 bytes, got 33");
  await expect(pool.hashTiles(sampleChain(5))).rejects.toThrow(
    "the row of tile 0 of the job does not agree with its bitmap",
  );
  expect(await pool.hashMany(sampleWords(1), 1)).toEqual(core.hash(sampleWords(1)));
});
