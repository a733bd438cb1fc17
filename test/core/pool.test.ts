import { afterAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { type TileJob, tileJob } from "../../src/core/tile-job.ts";

const core = loadCore();
const pool = new CorePool({ size: 2 });
afterAll(() => pool.close());

/** Deterministic canonical words. */
function sampleWords(count: number): Uint8Array {
  return new Uint8Array(count * 32).map((_, i) => (i % 32 === 0 ? 0 : (i * 31 + (i >> 5)) & 255));
}

test("hashing over threads equals hashing here, in order", async () => {
  const inputs = sampleWords(2 * 150);
  expect(await pool.hashMany(inputs, 2)).toEqual(core.hashMany(inputs, 2));
  expect(await pool.hashMany(new Uint8Array(0), 2)).toEqual(new Uint8Array(0));
});

/** A job of tiles that are empty before. */
function sampleJob(): TileJob {
  const tiles = Array.from({ length: 21 }, (_, t) => ({
    row: undefined,
    versions: [{ block: 7, whole: false, bottoms: [t % 8], words: [sampleWords(t + 1).subarray(t * 32)] }],
  }));
  return tileJob(tiles, { height: 3, baseLevel: 0, arity: 3 });
}

test("tiles hashed on a thread are as tiles hashed here", async () => {
  expect(await pool.hashTiles(sampleJob())).toEqual(core.hashTiles(sampleJob()));
});

test("a task that fails rejects its call and the pool goes on", async () => {
  await expect(pool.hashMany(new Uint8Array(33), 1)).rejects.toThrow("inputs must be whole runs of 32 bytes, got 33");
  const row = Uint8Array.of(0, 0, 0, 1, 2);
  const versions = [{ block: 7, whole: false, bottoms: [0], words: [sampleWords(1)] }];
  const damaged = tileJob([{ row, versions }], { height: 3, baseLevel: 0, arity: 3 });
  await expect(pool.hashTiles(damaged)).rejects.toThrow("the row of tile 0 of the job does not agree with its bitmap");
  expect(await pool.hashMany(sampleWords(1), 1)).toEqual(core.hash(sampleWords(1)));
});
