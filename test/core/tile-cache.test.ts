import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TileCache } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";

const core = loadCore();
const TILE_HEIGHT = 4;

/** A made-up record of a tile, the same each time it is asked for; one in eight tiles is empty. */
function recordOf(state: number, tree: number, level: number, index: number, height: number): Uint8Array | undefined {
  const random = createHash("shake256", { outputLength: 1100 }).update(`${state} ${tree} ${level} ${index}`).digest();
  if (random[0] < 32) return undefined;
  const words = 2 << height;
  const bitmap = Math.max(1, words >> 3);
  const record = new Uint8Array(bitmap + words * 32);
  let end = bitmap;
  for (let node = 2; node < words; node++) {
    if (random[node] < 64) continue;
    record[node >> 3] |= 1 << (node & 7);
    record.set(random.subarray(node + 32, node + 64), end);
    end += 32;
  }
  return record.slice(0, end);
}

interface Asked {
  state: number;
  tree: number;
  position: number;
  levels: number;
}

function recordsOf({ state, tree, position, levels }: Asked, height: number): (Uint8Array | undefined)[] {
  return Array.from({ length: Math.ceil(height / TILE_HEIGHT) }, (_, level) => {
    const own = Math.min(TILE_HEIGHT, height - level * TILE_HEIGHT);
    const index = Math.floor(position / 2 ** ((level + 1) * TILE_HEIGHT));
    return level < levels ? recordOf(state, tree, level, index, own) : undefined;
  });
}

/** The path by the cache, and how many tiles it asked for. */
function cachedPath(cache: TileCache, asked: Asked, height: number): { path: Uint8Array; put: number } {
  const records = recordsOf(asked, height);
  const out = new Uint8Array(height * 32);
  let put = 0;
  let missing = cache.open(asked.state, asked.tree, asked.position, asked.levels);
  for (let level = 0; missing !== 0; level++, missing >>>= 1) {
    if ((missing & 1) === 0) continue;
    cache.put(level, records[level]);
    put++;
  }
  cache.close(height, out, 0);
  return { path: out, put };
}

function plainPath(asked: Asked, height: number): Uint8Array {
  const out = new Uint8Array(height * 32);
  core.siblingPath(recordsOf(asked, height), asked.position, height, TILE_HEIGHT, out, 0);
  return out;
}

const asked = (height: number) =>
  fc.record({
    state: fc.integer({ min: 1, max: 3 }),
    tree: fc.constantFrom(0, 2),
    position: fc.oneof(
      fc.nat(300),
      fc.maxSafeNat().map((n) => n % 2 ** height),
    ),
    levels: fc.nat(Math.ceil(height / TILE_HEIGHT)),
  });

describe("a cache of tiles", () => {
  test.each([42, 40, 36, 30].flatMap((height) => [1, 20_000, 1_000_000].map((bytes) => ({ height, bytes }))))(
    "gives the paths of a tree of height $height whatever its $bytes bytes hold",
    ({ height, bytes }) => {
      fc.assert(
        fc.property(fc.array(asked(height), { minLength: 1, maxLength: 60 }), (calls) => {
          const cache = core.tileCache(bytes);
          for (const call of calls) expect(cachedPath(cache, call, height).path).toEqual(plainPath(call, height));
        }),
        { numRuns: 15 },
      );
    },
  );

  test("asks for a tile once, but for that of the leaf", () => {
    const cache = core.tileCache(1_000_000);
    const call = { state: 1, tree: 0, position: 12_345_678, levels: 11 };
    expect(cachedPath(cache, call, 42).put).toBe(11);
    expect(cachedPath(cache, call, 42).put).toBe(1);
    expect(cachedPath(cache, { ...call, position: call.position ^ 16 }, 42).put).toBe(1);
    expect(cachedPath(cache, { ...call, state: 2 }, 42).put).toBe(11);
  });

  test("refuses what is no record of four levels", () => {
    const cache = core.tileCache(1);
    cache.open(1, 0, 0, 1);
    expect(() => cache.put(0, new Uint8Array(1025))).toThrow("a tile record is at most 1024 bytes, got 1025");
  });
});
