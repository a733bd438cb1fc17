import Benchmark from "benchmark";
import type { Core } from "../../src/core/core.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import type { Comparison, SuiteResult } from "../lib/measurement.ts";
import { SeededBytes } from "../lib/seeded-bytes.ts";
import { inPairs, median } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import type { PeerId, RowId } from "../lib/targets.ts";

/** Number of nodes that are hashed together on one level of a block's tree update. */
const BATCH = 256;

/** In microseconds, for one side. */
interface Hashing {
  permutation: number;
  pair: number;
}

interface BackendTimes {
  pair: { middle: number };
  permutation: { middle: number };
  pairHash: string;
}

/** Median microseconds of one run, by the sampling of the benchmark package. */
function microseconds(name: string, maxSeconds: number, run: () => void): number {
  const bench = new Benchmark(name, run, { maxTime: maxSeconds, minSamples: 10 });
  bench.run({ async: false });
  if (bench.error !== undefined) throw new Error(`${name} failed`, { cause: bench.error });
  return median(bench.stats.sample) * 1e6;
}

function measureOwn(core: Core, seconds: number): Hashing {
  const random = new SeededBytes(3);
  const pairs = new Uint8Array(BATCH * 64);
  for (let at = 0; at < pairs.length; at += 32) pairs.set(random.field(), at);
  const pair = pairs.subarray(0, 64);
  return {
    permutation: microseconds("batch", seconds, () => core.hashMany(pairs, 2)) / BATCH,
    pair: microseconds("pair", seconds, () => core.hash(pair)),
  };
}

/** Poseidon2 on one thread (a pair hash is one permutation), against the reference's library in the same run. */
export async function coreSuite({ quick, repeats, seconds, reference, progress }: SuiteContext): Promise<SuiteResult> {
  const core = loadCore();
  const ours = () => measureOwn(core, quick ? 0.2 : seconds / 3);
  measureOwn(core, 0.2);
  progress(`Poseidon2, build ${core.build}`);
  if (reference === undefined) {
    const runs: Hashing[] = Array.from({ length: repeats }, ours);
    return {
      measurements: [
        {
          kind: "figure",
          row: "poseidon-batch",
          name: "ours",
          unit: "/s",
          values: runs.map((run) => 1e6 / run.permutation),
        },
        { kind: "figure", row: "poseidon-pair", name: "ours", unit: "µs", values: runs.map((run) => run.pair) },
      ],
    };
  }
  const windows = quick ? "20" : "300";
  const pairs = await inPairs(repeats, ours, async () => {
    const times = await reference.run<{ pairInput: string; wasm: BackendTimes; native: BackendTimes }>(
      "core-poseidon2.mjs",
      [windows],
    );
    const expected = toHex(core.hash(fromHex(`0x${times.pairInput}`)));
    if (expected !== `0x${times.wasm.pairHash}`)
      throw new Error(`the pair hashes differ: ${expected}, 0x${times.wasm.pairHash}`);
    return times;
  });
  const comparison = (row: RowId, peer: PeerId & ("wasm" | "native"), of: keyof Hashing, note: string): Comparison => ({
    ...{ kind: "comparison", row, peer, note },
    ...(of === "pair" ? { unit: "µs", better: "less" } : { unit: "/s", better: "more" }),
    pairs: pairs.map((pair) => {
      const both = { ours: pair.ours[of], theirs: pair.theirs[peer][of].middle };
      return of === "pair" ? both : { ours: 1e6 / both.ours, theirs: 1e6 / both.theirs };
    }),
  });
  const within = `ours: ${BATCH} pair hashes in one call; the peer: permutations within one call that absorbs 768 fields, its best figure`;
  return {
    measurements: [
      comparison("poseidon-batch", "native", "permutation", within),
      comparison("poseidon-batch", "wasm", "permutation", within),
      comparison("poseidon-pair", "wasm", "pair", "one call for one hash, from and to bytes"),
    ],
  };
}
