import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DuplicateKeyError, type LinkBatch } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { packTile, unpackTile } from "../../src/core/tile-record.ts";
import { bigUintBytes, concat, fromHex, toHex, word } from "../../src/protocol/bytes.ts";
import { hashAfter } from "../../src/protocol/generations/hashing.ts";
import { BUILDS } from "./builds.ts";
import { readVectors } from "./support/vectors.ts";

const vectors = readVectors<{
  zeroHashes: string[];
  innerNodeHash: { left: string; right: string; hash: string }[];
  nullifierLeafHash: { bytes: string; hash: string }[];
  publicDataLeafHash: { bytes: string; hash: string }[];
}>("trees.json");
/** Without a separator, and with that of the note hash tree of v5. */
const KINDS = BUILDS.flatMap((build) => [undefined, 2982624097].map((separator) => ({ build, separator })));

describe.each(KINDS)("with the $build build and separator $separator", ({ build, separator }) => {
  const core = loadCore({ build });
  const merkle = core.merkle(separator);

  const nonZeroWord = fc.uint8Array({ minLength: 31, maxLength: 31 }).map((b) => concat(Uint8Array.of(1), b));
  const pair = (left: Uint8Array, right: Uint8Array) => hashAfter(core, separator, concat(left, right));

  test("eight kinds of nodes fit into an instance, a ninth is refused", () => {
    const full = loadCore({ build });
    for (let i = 0; i < 8; i++) full.merkle(i);
    expect(full.merkle(3)).toBe(full.merkle(3));
    expect(() => full.merkle(8)).toThrow("no room for trees with another separator, 8");
  });

  test("zero hashes are the nodes of two equal children", () => {
    for (const [level, zero] of merkle.zeroHashes.slice(0, 42).entries()) {
      expect(pair(zero, zero)).toEqual(merkle.zeroHashes[level + 1]);
    }
  });

  if (separator === undefined) {
    test.each(vectors.zeroHashes.map((hash, level) => ({ level, hash })))(
      "the zero hash of level $level is that of the vectors",
      ({ level, hash }) => {
        expect(toHex(merkle.zeroHashes[level])).toBe(hash);
      },
    );

    test.each(vectors.innerNodeHash)(
      "the hash of an inner node is that of the vectors: $hash",
      ({ left, right, hash }) => {
        expect(toHex(pair(fromHex(left), fromHex(right)))).toBe(hash);
      },
    );

    test.each(vectors.nullifierLeafHash)(
      "the hash of a nullifier leaf is that of the vectors: $hash",
      ({ bytes, hash }) => {
        expect(toHex(core.hash(fromHex(bytes)))).toBe(hash);
      },
    );

    test.each(vectors.publicDataLeafHash)(
      "the hash of a public data leaf is that of the vectors: $hash",
      ({ bytes, hash }) => {
        expect(toHex(core.hash(fromHex(bytes)))).toBe(hash);
      },
    );
  }

  /** Dense tile with the given words in its bottom row; inner nodes are computed one by one. */
  function naiveTile(height: number, bottom: Map<number, Uint8Array>, baseLevel = 0): Uint8Array {
    const tile = new Uint8Array(64 << height);
    const width = 1 << height;
    for (let b = 0; b < width; b++) tile.set(bottom.get(b) ?? merkle.zeroHashes[baseLevel], (width + b) * 32);
    for (let k = width - 1; k >= 1; k--) tile.set(pair(word(tile, 2 * k), word(tile, 2 * k + 1)), k * 32);
    return tile;
  }

  const bottomRow = (height: number) =>
    fc.array(fc.tuple(fc.nat((1 << height) - 1), nonZeroWord), { maxLength: 6 }).map((entries) => new Map(entries));

  describe("rehashTiles", () => {
    test("rehashTiles equals hashing every node of every tile", () => {
      fc.assert(
        fc.property(
          fc
            .integer({ min: 1, max: 5 })
            .chain((height) =>
              fc.tuple(fc.constant(height), fc.array(fc.tuple(bottomRow(height), bottomRow(height)), { maxLength: 3 })),
            ),
          ([height, changes]) => {
            const tiles = changes.map(([before]) => naiveTile(height, before));
            const dirty = new Uint32Array(changes.length);
            changes.forEach(([, change], t) => {
              for (const [b, value] of change) {
                tiles[t].set(value, ((1 << height) + b) * 32);
                dirty[t] |= 1 << b;
              }
            });
            merkle.rehashTiles(tiles, dirty, height);
            changes.forEach(([before, change], t) => {
              expect(tiles[t]).toEqual(naiveTile(height, new Map([...before, ...change])));
            });
          },
        ),
        { numRuns: 25 },
      );
    });

    test("rehashTiles does not change nodes without a dirty descendant, nor the caller's masks", () => {
      const tile = new Uint8Array(64 << 2).fill(1);
      const dirty = Uint32Array.of(0b0100);
      merkle.rehashTiles([tile], dirty, 2);
      expect(word(tile, 2)).toEqual(new Uint8Array(32).fill(1));
      expect(word(tile, 3)).toEqual(pair(word(tile, 6), word(tile, 7)));
      expect(word(tile, 1)).toEqual(pair(word(tile, 2), word(tile, 3)));
      expect(dirty).toEqual(Uint32Array.of(0b0100));
    });

    test("rehashTiles refuses a tile of another height", () => {
      expect(() => merkle.rehashTiles([new Uint8Array(64)], Uint32Array.of(1), 2)).toThrow(
        "tile must be 256 bytes, got 64",
      );
      expect(() => merkle.rehashTiles([], new Uint32Array(0), 6)).toThrow("tile height must be 1 to 5, got 6");
    });
  });

  describe("tile records", () => {
    test("packing and unpacking a tile gives the tile without its root", () => {
      fc.assert(
        fc.property(
          fc
            .integer({ min: 1, max: 5 })
            .chain((height) => fc.tuple(fc.constant(height), bottomRow(height), fc.nat(37))),
          ([height, bottom, baseLevel]) => {
            const tile = naiveTile(height, bottom, baseLevel);
            const record = packTile(tile, height, baseLevel, merkle.zeroHashes);
            tile.fill(0, 32, 64);
            expect(unpackTile(record, height, baseLevel, merkle.zeroHashes)).toEqual(tile);
            if (bottom.size === 0) expect(record.every((byte) => byte === 0)).toBe(true);
          },
        ),
        { numRuns: 30 },
      );
    });

    test("a tile record has one bit per heap word and only the words that are not zero hashes", () => {
      const tile = naiveTile(2, new Map([[1, fromHex("01".repeat(32))]]));
      const record = packTile(tile, 2, 0, merkle.zeroHashes);
      expect(record[0]).toBe(0b0010_0100);
      expect(record.subarray(1)).toEqual(concat(word(tile, 2), word(tile, 5)));
      expect(unpackTile(undefined, 1, 4, merkle.zeroHashes).subarray(64)).toEqual(
        concat(merkle.zeroHashes[4], merkle.zeroHashes[4]),
      );
    });

    test("a truncated tile record is refused", () => {
      const record = packTile(naiveTile(2, new Map([[1, fromHex("01".repeat(32))]])), 2, 0, merkle.zeroHashes);
      expect(() => unpackTile(record.subarray(0, 33), 2, 0, merkle.zeroHashes)).toThrow(
        "does not agree with its bitmap",
      );
      expect(() => unpackTile(new Uint8Array(0), 2, 0, merkle.zeroHashes)).toThrow("does not agree with its bitmap");
    });
  });

  /** Records of the tiles above a leaf in a tree of the given leaves, and the tree's root, hashed node by node. */
  function buildTree(leaves: Map<number, Uint8Array>, height: number, tileHeight: number, index: number) {
    const rows: Map<number, Uint8Array>[] = [leaves];
    const node = (level: number, i: number) => rows[level].get(i) ?? merkle.zeroHashes[level];
    for (let level = 0; level < height; level++) {
      const parents = new Map<number, Uint8Array>();
      for (const i of rows[level].keys()) {
        const parent = Math.floor(i / 2);
        parents.set(parent, pair(node(level, 2 * parent), node(level, 2 * parent + 1)));
      }
      rows.push(parents);
    }
    const records: (Uint8Array | undefined)[] = [];
    for (let base = 0; base < height; base += tileHeight) {
      const own = Math.min(tileHeight, height - base);
      const tile = new Uint8Array(64 << own);
      const tileIndex = Math.floor(index / 2 ** (base + own));
      for (let k = 1; k < 2 << own; k++) {
        const depth = 31 - Math.clz32(k);
        tile.set(node(base + own - depth, tileIndex * 2 ** depth + (k - (1 << depth))), k * 32);
      }
      const record = packTile(tile, own, base, merkle.zeroHashes);
      records.push(record.some((byte) => byte !== 0) ? record : undefined);
    }
    return { records, root: node(height, 0) };
  }

  function rootOf(leaf: Uint8Array, index: number, path: Uint8Array): Uint8Array {
    let current = leaf;
    for (let level = 0; level < path.length / 32; level++) {
      const sibling = word(path, level);
      current = Math.floor(index / 2 ** level) % 2 === 0 ? pair(current, sibling) : pair(sibling, current);
    }
    return current;
  }

  describe("siblingPath", () => {
    test.each([42, 40, 36, 30].flatMap((height) => [2, 3, 4, 5].map((tileHeight) => ({ height, tileHeight }))))(
      "a sibling path verifies in a tree of height $height in tiles of height $tileHeight",
      ({ height, tileHeight }) => {
        fc.assert(
          fc.property(
            fc.array(
              fc.tuple(
                fc.oneof(
                  fc.nat(70),
                  fc.maxSafeNat().map((i) => i % 2 ** height),
                ),
                nonZeroWord,
              ),
              {
                minLength: 1,
                maxLength: 4,
              },
            ),
            fc.oneof(fc.constant(undefined), fc.nat(200)),
            (entries, other) => {
              const leaves = new Map(entries);
              const index = other ?? entries[0][0];
              const { records, root } = buildTree(leaves, height, tileHeight, index);
              const out = new Uint8Array(height * 32 + 8).fill(7);
              merkle.siblingPath(records, index, height, tileHeight, out, 4);
              const path = out.subarray(4, 4 + height * 32);
              expect(rootOf(leaves.get(index) ?? merkle.zeroHashes[0], index, path)).toEqual(root);
              expect([...out.subarray(0, 4), ...out.subarray(-4)]).toEqual(new Array(8).fill(7));
            },
          ),
          { numRuns: 3 },
        );
      },
    );

    test("a sibling path without records is the path in the empty tree", () => {
      const out = new Uint8Array(30 * 32);
      merkle.siblingPath(new Array(8).fill(undefined), 2 ** 30 - 1, 30, 4, out, 0);
      expect(out).toEqual(concat(...merkle.zeroHashes.slice(0, 30)));
    });

    test("siblingPath refuses a number of records that does not match the height", () => {
      expect(() => merkle.siblingPath([], 0, 30, 4, new Uint8Array(960), 0)).toThrow(
        "a path needs 8 tile records, got 0",
      );
    });
  });

  interface Leaf {
    key: bigint;
    nextKey: bigint;
    nextIndex: number;
  }

  /**
   * Inserts one key at a position as in docs/protocol/02-trees.md#27-inserting-one-leaf; `tree` maps positions to
   * leaves.
   */
  function insert(tree: Map<number, Leaf>, key: bigint, position: number): void {
    const [, low] = [...tree].filter(([, l]) => l.key < key).reduce((a, b) => (b[1].key > a[1].key ? b : a));
    tree.set(position, { key, nextKey: low.nextKey, nextIndex: low.nextIndex });
    low.nextKey = key;
    low.nextIndex = position;
  }

  function linkBatch(tree: Map<number, Leaf>, keys: bigint[], firstPosition: number): LinkBatch {
    const lows = keys.map((key) =>
      [...tree].filter(([, l]) => l.key < key).reduce((a, b) => (b[1].key > a[1].key ? b : a)),
    );
    return {
      keys: concat(...keys.map((k) => bigUintBytes(k, 32))),
      positions: keys.map((_, i) => firstPosition + i),
      lowIndexes: lows.map(([index]) => index),
      lowNextKeys: concat(...lows.map(([, l]) => bigUintBytes(l.nextKey, 32))),
      lowNextIndexes: lows.map(([, l]) => l.nextIndex),
    };
  }

  describe("linkLeaves", () => {
    const smallKey = fc.bigInt({ min: 1n, max: 60n });
    const largeKey = fc.bigInt({ min: 1n, max: (1n << 254n) - 1n });

    test("linkLeaves equals inserting the keys one by one, in their order", () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.oneof(smallKey, largeKey), { minLength: 1, maxLength: 40 }),
          fc.nat(39),
          fc.constantFrom(0, 2 ** 41),
          (keys, split, base) => {
            const before = keys.slice(0, Math.min(split, keys.length - 1));
            const added = keys.slice(before.length);
            const start: Map<number, Leaf> = new Map([[base, { key: 0n, nextKey: 0n, nextIndex: 0 }]]);
            for (const [i, key] of before.entries()) insert(start, key, base + 1 + i);
            const first = base + keys.length + 5;
            const batch = linkBatch(start, added, first);
            const expected = structuredClone(start);
            for (const [i, key] of added.entries()) insert(expected, key, first + i);

            const linked = core.linkLeaves(batch);
            const actual = structuredClone(start);
            for (const { index, nextKey, nextIndex } of linked.lows) {
              Object.assign(actual.get(index)!, { nextKey: BigInt(toHex(nextKey)), nextIndex });
            }
            added.forEach((key, i) => {
              const nextKey = BigInt(toHex(word(linked.nextKeys, i)));
              actual.set(first + i, { key, nextKey, nextIndex: linked.nextIndexes[i] });
            });
            expect(actual).toEqual(expected);
            expect(new Set(linked.lows.map((low) => low.index)).size).toBe(linked.lows.length);
          },
        ),
        { numRuns: 100 },
      );
    });

    test("linkLeaves refuses a key that occurs twice and names it", () => {
      const tree = new Map([[0, { key: 0n, nextKey: 0n, nextIndex: 0 }]]);
      const batch = linkBatch(tree, [9n, 4n, 7n, 4n], 1);
      expect(() => core.linkLeaves(batch)).toThrow(new DuplicateKeyError(bigUintBytes(4n, 32)));
    });

    test("linkLeaves of an empty batch changes nothing", () => {
      const none = new Uint8Array(0);
      const batch = { keys: none, positions: [], lowIndexes: [], lowNextKeys: none, lowNextIndexes: [] };
      expect(core.linkLeaves(batch)).toEqual({ nextKeys: none, nextIndexes: [], lows: [] });
    });
  });
});
