import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { type HashedTiles, type TileJob, tileJob, type VersionedTile } from "../../src/core/tile-job.ts";
import { completeRecord, isPartial, packTile, unpackTile } from "../../src/core/tile-record.ts";
import { concat, readU32, word, writeU32 } from "../../src/protocol/bytes.ts";
import { hashAfter, type Separator } from "../../src/protocol/generations/hashing.ts";

const core = loadCore();
const ARITY = 3;
/** That of the nullifier tree of v5. */
const SEPARATOR = 1157584160;

/** What one block changes in a tile: bottom nodes in ascending order, with their words. */
interface Version {
  block: number;
  whole: boolean;
  bottoms: number[];
  words: Uint8Array[];
}

interface Input {
  row: Uint8Array | undefined;
  versions: Version[];
}

function jobOf(inputs: Input[], height: number, separator: Separator, baseLevel = 0): TileJob {
  const tiles = inputs.map(({ row, versions }): VersionedTile & Input => ({
    row,
    versions,
    nodes: versions.flatMap(({ block, bottoms, words }) =>
      bottoms.map((bottom, i) => ({ block, bottom, source: words[i], at: 0, isPreimage: words[i].length > 32 })),
    ),
  }));
  const shape = { height, baseLevel, arity: ARITY, separator };
  return tileJob(tiles, shape, {
    keepsWhole: ({ versions }, block) => versions.some((version) => version.block === block && version.whole),
    readRow: ({ row }, out, at) => {
      out.set(row ?? [], at);
      return row?.length ?? 0;
    },
  }).job;
}

/** A distinct node for each number, or a preimage. */
const nodeWords = (n: number, preimage: boolean) =>
  new Uint8Array(preimage ? ARITY * 32 : 32).map((_, i) => (i % 32 === 0 ? 0 : (n * 131 + i * 17) & 255));
const nodeOf = (words: Uint8Array) => (words.length > 32 ? core.hash(words) : words);

function withSince(since: number, record: Uint8Array): Uint8Array {
  const row = concat(new Uint8Array(4), record);
  writeU32(row, 0, since);
  return row;
}

/** The tile with bottom nodes replaced and every inner node hashed again. */
function changed(
  tile: Uint8Array,
  height: number,
  separator: Separator,
  { bottoms, words }: Pick<Version, "bottoms" | "words">,
): Uint8Array {
  const after = tile.slice();
  for (const [i, bottom] of bottoms.entries()) after.set(nodeOf(words[i]), ((1 << height) + bottom) * 32);
  for (let k = (1 << height) - 1; k >= 1; k--) {
    after.set(hashAfter(core, separator, concat(word(after, 2 * k), word(after, 2 * k + 1))), k * 32);
  }
  return after;
}

interface Case {
  height: number;
  baseLevel: number;
  tiles: { start: number[]; versions: { whole: boolean; nodes: { bottom: number; preimage: boolean }[] }[] }[];
}

const cases: fc.Arbitrary<Case> = fc.tuple(fc.integer({ min: 1, max: 5 }), fc.nat(37)).chain(([height, baseLevel]) => {
  const bottom = fc.nat((1 << height) - 1);
  const nodes = fc.uniqueArray(fc.record({ bottom, preimage: fc.boolean() }), {
    selector: (node) => node.bottom,
    minLength: 1,
    maxLength: 6,
  });
  return fc.record({
    height: fc.constant(height),
    baseLevel: fc.constant(baseLevel),
    tiles: fc.array(
      fc.record({
        start: fc.uniqueArray(bottom, { maxLength: 6 }),
        versions: fc.array(fc.record({ whole: fc.boolean(), nodes }), { minLength: 1, maxLength: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  });
});

/** The input of a case, and the dense tile before the first version and after each. */
function build({ height, baseLevel, tiles }: Case, separator: Separator): { input: Input; states: Uint8Array[] }[] {
  const merkle = core.merkle(separator);
  let n = 0;
  return tiles.map(({ start, versions }, t) => {
    const before = start.map((bottom) => ({ bottom, words: nodeWords(++n, false) }));
    const empty = unpackTile(undefined, height, baseLevel, merkle.zeroHashes);
    const set = { bottoms: before.map(({ bottom }) => bottom), words: before.map(({ words }) => words) };
    const states = [changed(empty, height, separator, set)];
    const input: Input = {
      row: start.length === 0 ? undefined : withSince(t, packTile(states[0], height, baseLevel, merkle.zeroHashes)),
      versions: versions.map(({ whole, nodes }, v) => {
        const sorted = nodes.toSorted((a, b) => a.bottom - b.bottom);
        const version = {
          block: 100 + 3 * v,
          whole,
          bottoms: sorted.map(({ bottom }) => bottom),
          words: sorted.map(({ preimage }) => nodeWords(++n, preimage)),
        };
        states.push(changed(states[states.length - 1], height, separator, version));
        return version;
      }),
    };
    return { input, states };
  });
}

function rowsOf({ ends, rows }: HashedTiles): Uint8Array[] {
  return Array.from(ends, (end, i) => rows.subarray(i === 0 ? 0 : ends[i - 1], end));
}

describe.each([undefined, SEPARATOR])("hashTiles with separator %s", (separator) => {
  const merkle = core.merkle(separator);

  test("hashTiles gives the roots and rows of hashing every node of every version", () => {
    fc.assert(
      fc.property(cases, (one) => {
        const { height, baseLevel } = one;
        const tiles = build(one, separator);
        const hashed = merkle.hashTiles(
          jobOf(
            tiles.map(({ input }) => input),
            height,
            separator,
            baseLevel,
          ),
        );
        const rows = rowsOf(hashed);
        const pack = (tile: Uint8Array) => packTile(tile, height, baseLevel, merkle.zeroHashes);
        let [row, root] = [0, 0];
        for (const { input, states } of tiles) {
          const own = rows.slice(row, row + input.versions.length + 1);
          row += own.length;
          for (const [v, { block, whole }] of input.versions.entries()) {
            expect(word(hashed.roots, root++)).toEqual(word(states[v + 1], 1));
            if (v === 0 && input.row === undefined) {
              expect(own[0]).toHaveLength(0);
              continue;
            }
            const since = v === 0 ? readU32(input.row as Uint8Array, 0) : input.versions[v - 1].block;
            expect(readU32(own[v], 0)).toBe(since);
            const [record, next] = [own[v].subarray(4), pack(states[v + 1])];
            if (whole) expect(record).toEqual(pack(states[v]));
            const complete = isPartial(record) ? completeRecord([record, next], height) : record;
            expect(pack(unpackTile(complete, height, baseLevel, merkle.zeroHashes))).toEqual(pack(states[v]));
            if (v + 1 === input.versions.length) expect(own[v + 1]).toEqual(withSince(block, next));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("the history of a full tile of which a version replaced few words holds only those words", () => {
    const height = 4;
    const all = Array.from({ length: 16 }, (_, i) => i);
    const empty = unpackTile(undefined, height, 0, merkle.zeroHashes);
    const full = changed(empty, height, separator, { bottoms: all, words: all.map((n) => nodeWords(n + 1, false)) });
    const row = withSince(7, packTile(full, height, 0, merkle.zeroHashes));
    const versions = [{ block: 8, whole: false, bottoms: [5], words: [nodeWords(99, false)] }];
    const [history] = rowsOf(merkle.hashTiles(jobOf([{ row, versions }], height, separator)));
    expect(history.subarray(8)).toEqual(concat(...[2, 5, 10, 21].map((node) => word(full, node))));
  });

  test("hashTiles refuses a damaged row and names its tile", () => {
    const tile = changed(unpackTile(undefined, 2, 0, merkle.zeroHashes), 2, separator, {
      bottoms: [1],
      words: [nodeWords(1, false)],
    });
    const row = withSince(1, packTile(tile, 2, 0, merkle.zeroHashes));
    const versions = [{ block: 2, whole: false, bottoms: [0], words: [nodeWords(2, false)] }];
    for (const damaged of [row.subarray(0, row.length - 1), row.subarray(0, 3), withSince(1, Uint8Array.of(1))]) {
      const job = jobOf(
        [
          { row, versions },
          { row: damaged, versions },
        ],
        2,
        separator,
      );
      expect(() => merkle.hashTiles(job)).toThrow("the row of tile 1 of the job does not agree with its bitmap");
    }
  });
});
