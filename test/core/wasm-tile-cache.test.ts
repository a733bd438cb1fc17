import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { TextPart, TileCache } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";

const core = loadCore();
const TILE_HEIGHT = 4;
/** By tree: one without a separator, and one with. */
const SEPARATORS = [undefined, undefined, 3756303423];

/** A made-up record of a tile, the same at each call; one in eight tiles is empty. */
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
  /** Whether the tile of the leaf may stay in the cache. */
  keepLeaf?: boolean;
}

function recordsOf({ state, tree, position, levels }: Asked, height: number): (Uint8Array | undefined)[] {
  return Array.from({ length: Math.ceil(height / TILE_HEIGHT) }, (_, level) => {
    const own = Math.min(TILE_HEIGHT, height - level * TILE_HEIGHT);
    const index = Math.floor(position / 2 ** ((level + 1) * TILE_HEIGHT));
    return level < levels ? recordOf(state, tree, level, index, own) : undefined;
  });
}

/** Opens a path and puts the tiles that the cache asks for. Returns their number. */
function openPath(cache: TileCache, asked: Asked, height: number): number {
  const records = recordsOf(asked, height);
  let put = 0;
  let missing = cache.open(asked.state, asked.tree, asked.position, asked.levels);
  for (let level = 0; missing !== 0; level++, missing >>>= 1) {
    if ((missing & 1) === 0) continue;
    const record = records[level];
    const at = put % 5;
    const keep = level > 0 || asked.keepLeaf !== false;
    cache.put(level, record && Buffer.concat([Buffer.alloc(at, 0xee), record]), at, keep);
    put++;
  }
  return put;
}

/** The path from the cache, and the number of tiles that it asked for. */
function cachedPath(cache: TileCache, asked: Asked, height: number): { path: Uint8Array; put: number } {
  const out = new Uint8Array(height * 32);
  const put = openPath(cache, asked, height);
  cache.close(height, out, 0);
  return { path: out, put };
}

function plainPath(asked: Asked, height: number): Uint8Array {
  const out = new Uint8Array(height * 32);
  core
    .merkle(SEPARATORS[asked.tree])
    .siblingPath(recordsOf(asked, height), asked.position, height, TILE_HEIGHT, out, 0);
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
    keepLeaf: fc.boolean(),
  });

const letters = fc.string({ unit: fc.constantFrom(...'{}":,abc '), maxLength: 40 });
const part: fc.Arbitrary<TextPart> = fc.oneof(
  letters,
  fc.record({ as: fc.constant("word" as const), of: fc.constantFrom("key", "row"), at: fc.nat(4) }),
  fc.record({ as: fc.constant("position" as const), of: fc.constant("row" as const), at: fc.nat(98) }),
);
/** Text parts that include one path. */
const textParts = fc
  .tuple(fc.array(part, { maxLength: 6 }), fc.array(part, { maxLength: 6 }))
  .map(([before, after]): TextPart[] => [...before, { as: "path" }, ...after]);
/** Positions of all lengths of digits are among those of random bytes. */
const rowBytes = fc.uint8Array({ minLength: 104, maxLength: 104 }).map((row) => {
  for (let at = 0; at < row.length; at += 6) row.fill(0, at, at + (row[at] % 7));
  return row;
});

/** The expected text, computed without the cache. */
function textOf(parts: readonly TextPart[], key: Uint8Array, row: Uint8Array, path: Uint8Array): string {
  const shown = (part: TextPart): string => {
    if (typeof part === "string") return part;
    if (part.as === "path") {
      const height = Buffer.alloc(4);
      height.writeUInt32BE(path.length / 32);
      return Buffer.concat([height, path]).toString("base64");
    }
    const from = Buffer.from(part.of === "key" ? key : row).subarray(part.at);
    return part.as === "word" ? from.subarray(0, 32).toString("hex") : String(from.readUIntBE(0, 6));
  };
  return parts.map(shown).join("");
}

test.each([42, 40, 36, 30].flatMap((height) => [1, 20_000, 1_000_000].map((bytes) => ({ height, bytes }))))(
  "a tile cache of $bytes bytes gives the paths of a tree of height $height",
  ({ height, bytes }) => {
    fc.assert(
      fc.property(fc.array(asked(height), { minLength: 1, maxLength: 60 }), (calls) => {
        const cache = core.tileCache(bytes, SEPARATORS);
        for (const call of calls) expect(cachedPath(cache, call, height).path).toEqual(plainPath(call, height));
      }),
      { numRuns: 15 },
    );
  },
);

test("a tile cache fills templates with a leaf and its path", () => {
  const call = fc
    .constantFrom(42, 40, 36)
    .chain((height) => fc.record({ height: fc.constant(height), path: asked(height) }));
  fc.assert(
    fc.property(
      textParts,
      fc.array(call, { minLength: 1, maxLength: 12 }),
      fc.uint8Array({ minLength: 36, maxLength: 36 }),
      rowBytes,
      (parts, calls, key, row) => {
        const cache = core.tileCache(100_000, SEPARATORS);
        const templates = new Map([42, 41, 40, 36].map((height) => [height, cache.template(parts, height)]));
        for (const [i, { height, path }] of calls.entries()) {
          cache.setLeaf(key, row);
          openPath(cache, path, height);
          if (i % 4 === 3) cache.close(height, new Uint8Array(height * 32), 0);
          else {
            const text = Buffer.from(cache.closeText(templates.get(height)!)).toString("latin1");
            expect(text).toBe(textOf(parts, key, row, plainPath(path, height)));
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});

test("a tile cache refuses templates, keys and rows that exceed its room", () => {
  const cache = core.tileCache(1, SEPARATORS);
  const text = "x".repeat(3000);
  cache.template([text], 42);
  expect(() => cache.template([text], 42)).toThrow("no room for a template of 3028 bytes, whose texts have up to 3016");
  expect(() => cache.template([{ as: "path" }, { as: "path" }, { as: "path" }], 42)).toThrow(RangeError);
  expect(() => cache.setLeaf(new Uint8Array(37), new Uint8Array())).toThrow("a leaf's key is at most 36 bytes, got 37");
  expect(() => cache.setLeaf(new Uint8Array(), new Uint8Array(105))).toThrow(
    "a leaf's row is at most 104 bytes, got 105",
  );
});

test("a tile cache asks for each tile once", () => {
  const cache = core.tileCache(1_000_000, SEPARATORS);
  const call = { state: 1, tree: 0, position: 12_345_678, levels: 11 };
  expect(cachedPath(cache, call, 42).put).toBe(11);
  expect(cachedPath(cache, call, 42).put).toBe(0);
  expect(cachedPath(cache, { ...call, position: call.position ^ 1 }, 42).put).toBe(0);
  expect(cachedPath(cache, { ...call, position: call.position ^ 16 }, 42).put).toBe(1);
  expect(cachedPath(cache, { ...call, state: 2 }, 42).put).toBe(11);
});

test("a tile cache asks again for a leaf's tile that it shall not keep", () => {
  const cache = core.tileCache(1_000_000, SEPARATORS);
  const call = { state: 1, tree: 0, position: 12_345_678, levels: 11, keepLeaf: false };
  expect(cachedPath(cache, call, 42).put).toBe(11);
  expect(cachedPath(cache, call, 42)).toEqual({ path: plainPath(call, 42), put: 1 });
  expect(cachedPath(cache, { ...call, keepLeaf: true }, 42).put).toBe(1);
  expect(cachedPath(cache, call, 42).put).toBe(0);
});

test("a tile cache keeps the tiles above the leaves while new leaves are asked for", () => {
  const cache = core.tileCache(600_000, SEPARATORS);
  const leaves = 2 ** 16;
  const paths = (count: number, from: number) => {
    let put = 0;
    for (let i = 0; i < count; i++) {
      const position = ((from + i) * 40_503) % leaves;
      put += openPath(cache, { state: 1, tree: 0, position, levels: 4 }, 16);
      cache.close(16, new Uint8Array(16 * 32), 0);
    }
    return put;
  };
  paths(3000, 0);
  // There are 273 tiles above those of the leaves, which are 4,096.
  expect(paths(3000, 3000)).toBeLessThan(3000 * 1.25);
});

test("a tile cache refuses a record that is too long for four levels", () => {
  const cache = core.tileCache(1, SEPARATORS);
  cache.open(1, 0, 0, 1);
  expect(() => cache.put(0, new Uint8Array(1025), 4)).toThrow("a tile record is at most 1020 bytes, got 1021");
});
