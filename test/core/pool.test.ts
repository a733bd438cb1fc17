import { afterAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";

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

test("tiles rehashed over threads equal tiles rehashed here, in place", async () => {
  const height = 3;
  const tiles = Array.from({ length: 21 }, (_, t) => sampleWords(16).map((b, i) => (i % 32 === 0 ? b : b ^ t)));
  const dirty = Uint32Array.from(tiles, (_, t) => (t * 37) & 255);
  const here = tiles.map((tile) => tile.slice());
  core.rehashTiles(here, dirty, height);
  await pool.rehashTiles(tiles, dirty, height);
  expect(tiles).toEqual(here);
});

test("a task that fails rejects its call and the pool goes on", async () => {
  await expect(pool.hashMany(new Uint8Array(33), 1)).rejects.toThrow("inputs must be whole runs of 32 bytes, got 33");
  await expect(pool.rehashTiles([new Uint8Array(4096)], Uint32Array.of(1), 6)).rejects.toThrow("tile height");
  expect(await pool.hashMany(sampleWords(1), 1)).toEqual(core.hash(sampleWords(1)));
});
