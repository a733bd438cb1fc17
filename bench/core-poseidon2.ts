/**
 * Poseidon2 of the core on one thread: every build, compared with a plain bigint implementation and with the
 * reference's WebAssembly and native code.
 *
 *   npm run build:wasm && node bench/core-poseidon2.ts [--help]
 *
 * A figure is the least of many samples of a millisecond, because on a shared machine the least disturbed sample says
 * most about the code. The medians are in the JSON. Ratios to the reference are medians over repeats, in which the
 * sides alternate in going first.
 */
import { writeFileSync } from "node:fs";
import Benchmark from "benchmark";
import type { Core } from "../src/core/core.ts";
import { loadCore } from "../src/core/load-core.ts";
import { bigUintBytes, fromHex, readBigUint, word } from "../src/protocol/bytes.ts";
import { bigintHashPair } from "./core-poseidon2-bigint.ts";
import { Reference } from "./lib/reference.ts";
import { JSON_FILE, REFERENCE_HOME, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { inPairs, median } from "./lib/statistics.ts";

const BATCH = 64;
const SAMPLE_SECONDS = 0.001;
const pairs = new Uint8Array(BATCH * 64).map((_, i) => (i % 32 === 0 ? 0 : (i * 31 + (i >> 5)) & 255));
const pair = pairs.subarray(0, 64);
const state = pairs.subarray(0, 128);
const [left, right] = [readBigUint(word(pairs, 0)), readBigUint(word(pairs, 1))];

/** In microseconds. */
interface Figure {
  readonly least: number;
  readonly median: number;
}

function measure(items: number, run: () => void): Figure {
  const { stats } = new Benchmark(run, { minTime: SAMPLE_SECONDS, maxTime: 3, minSamples: 200 }).run();
  const us = stats.sample.map((seconds) => (seconds * 1e6) / items);
  return { least: Math.min(...us), median: median(us) };
}

interface CoreFigures {
  readonly pair: Figure;
  readonly permutation: Figure;
  /** One of BATCH independent pair hashes that are computed in one call. */
  readonly batch: Figure;
}

function measureCore(core: Core): CoreFigures {
  return {
    pair: measure(1, () => core.hash(pair)),
    permutation: measure(1, () => core.permute(state)),
    batch: measure(BATCH, () => core.hashMany(pairs, 2)),
  };
}

/** Output of bench/reference/core-poseidon2.mjs. */
type Backend = "wasm" | "native";
type ReferenceFigures = Record<Backend, Record<"pair" | "permutation", { least: number }> & { pairHash: string }> & {
  pairInput: string;
};

const cores = {
  lanes: loadCore({ build: "lanes" }),
  "integer-lanes": loadCore({ build: "integer-lanes" }),
  scalar: loadCore({ build: "scalar" }),
};
const expected = bigUintBytes(bigintHashPair(left, right), 32);
for (const core of Object.values(cores)) {
  if (Buffer.compare(expected, core.hash(pair)) !== 0) throw new Error(`bigint and ${core.build} differ`);
}

async function compare(reference: Reference, repeats: number) {
  const found = await inPairs(
    repeats,
    () => measureCore(cores.lanes),
    async () => {
      const figures = await reference.run<ReferenceFigures>("core-poseidon2.mjs", []);
      const ours = Buffer.from(cores.lanes.hash(fromHex(figures.pairInput))).toString("hex");
      for (const backend of ["wasm", "native"] as const) {
        if (figures[backend].pairHash !== ours) throw new Error(`the core and the reference's ${backend} code differ`);
      }
      return figures;
    },
  );
  const ratio = (of: (pair: (typeof found)[number]) => number) => median(found.map(of));
  return {
    repeats: found,
    batch: {
      wasm: ratio(({ ours, theirs }) => theirs.wasm.permutation.least / ours.batch.least),
      native: ratio(({ ours, theirs }) => theirs.native.permutation.least / ours.batch.least),
    },
    pair: {
      wasm: ratio(({ ours, theirs }) => theirs.wasm.pair.least / ours.pair.least),
      native: ratio(({ ours, theirs }) => theirs.native.pair.least / ours.pair.least),
    },
  };
}

const options = scriptOptions("bench/core-poseidon2.ts", {
  repeats: wholeOption("comparisons with the reference, whose medians count", 3),
  json: JSON_FILE,
  "reference-home": REFERENCE_HOME,
});

const figures = Object.entries(cores).map(([asked, core]) => ({ asked, build: core.build, ...measureCore(core) }));
const bigint = measure(1, () => bigintHashPair(left, right));

const row = ({ least }: Figure) => ({
  "us each": least.toFixed(2),
  "per second": Math.round(1e6 / least),
  "times bigint": (bigint.least / least).toFixed(1),
});
const rows: [name: string, figure: Figure][] = figures.flatMap(({ build, pair, permutation, batch }) => [
  [`${build}: pair hash, one call`, pair],
  [`${build}: permutation, one call`, permutation],
  [`${build}: pair hash, batch of ${BATCH}`, batch],
]);
console.table(Object.fromEntries([...rows, ["bigint: pair hash", bigint] as const].map(([n, f]) => [n, row(f)])));

const home = options["reference-home"];
const comparison = home === undefined ? undefined : await compare(new Reference(home), options.repeats);
if (comparison !== undefined) {
  const times = ({ wasm, native }: Record<Backend, number>) => ({ wasm: wasm.toFixed(2), native: native.toFixed(2) });
  console.log("times the reference's speed:");
  console.table({ "pair hash, batch": times(comparison.batch), "pair hash, one call": times(comparison.pair) });
}
if (options.json !== undefined)
  writeFileSync(options.json, `${JSON.stringify({ figures, bigint, comparison }, undefined, 1)}\n`);
