/**
 * Poseidon2 of the core on one thread against a plain bigint implementation in the same run, and the tree work built on it.
 *
 *   npm run build:wasm && node bench/core-poseidon2.ts
 *
 * Each figure is the best of repeated short windows: on a shared machine the least disturbed one says most about the code.
 */
import { loadCore } from "../src/core/load-core.ts";
import { packTile } from "../src/core/tile-record.ts";
import { bigUintBytes, readBigUint, word } from "../src/protocol/bytes.ts";
import { bigintHashPair } from "./core-poseidon2-bigint.ts";

const WINDOWS = 60;

/** Microseconds for one of the `items` that a run works on. */
function best(items: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < WINDOWS; i++) {
    const start = performance.now();
    run();
    least = Math.min(least, performance.now() - start);
  }
  return (least * 1000) / items;
}

const core = loadCore();
const BATCH = 64;
const pairs = new Uint8Array(BATCH * 64).map((_, i) => (i % 32 === 0 ? 0 : (i * 31 + (i >> 5)) & 255));
const integers = Array.from({ length: BATCH * 2 }, (_, i) => readBigUint(word(pairs, i)));

const expected = bigUintBytes(bigintHashPair(integers[0], integers[1]), 32);
if (Buffer.compare(expected, core.hash(pairs.subarray(0, 64))) !== 0) throw new Error("the two implementations differ");

const TILE_HEIGHT = 4;
const tiles = Array.from({ length: 8 }, () =>
  new Uint8Array(64 << TILE_HEIGHT).map((_, i) => (i % 32 === 0 ? 0 : i & 255)),
);
const allDirty = new Uint32Array(tiles.length).fill(0xffff);
const TREE_HEIGHT = 40;
const records = Array.from({ length: TREE_HEIGHT / TILE_HEIGHT }, (_, t) =>
  packTile(tiles[0], TILE_HEIGHT, t * TILE_HEIGHT, core.zeroHashes),
);
const path = new Uint8Array(TREE_HEIGHT * 32);

const bigint = best(4, () => {
  for (let i = 0; i < 4; i++) bigintHashPair(integers[2 * i], integers[2 * i + 1]);
});
const figures: [name: string, microseconds: number][] = [
  ["pair hash, bigint peer", bigint],
  [
    "pair hash, one call",
    best(8, () => {
      for (let i = 0; i < 8; i++) core.hash(pairs.subarray(i * 64, i * 64 + 64));
    }),
  ],
  [
    "permutation, one call",
    best(8, () => {
      for (let i = 0; i < 8; i++) core.permute(pairs.subarray(i * 128, i * 128 + 128));
    }),
  ],
  [`pair hash, batch of ${BATCH}`, best(BATCH, () => core.hashMany(pairs, 2))],
  ["tile node, 8 full tiles of height 4", best(8 * 15, () => core.rehashTiles(tiles, allDirty, TILE_HEIGHT))],
];

console.table(
  Object.fromEntries(
    figures.map(([name, us]) => [
      name,
      {
        "us each": us.toFixed(1),
        "per second": Math.round(1e6 / us),
        "times the bigint peer": (bigint / us).toFixed(1),
      },
    ]),
  ),
);
const pathTime = best(200, () => {
  for (let i = 0; i < 200; i++) core.siblingPath(records, i * 977, TREE_HEIGHT, TILE_HEIGHT, path, 0);
});
console.log(`sibling path of ${TREE_HEIGHT} levels from ${records.length} records: ${pathTime.toFixed(2)} us`);
const startup = best(1, () => loadCore());
console.log(`new instance, tables derived: ${(startup / 1000).toFixed(2)} ms`);
