/**
 * Checks recorded epochs: `node test/prover/check-recorded.ts FILE...`. A file is gzipped JSON with `epochs`, each with
 * `jobs` of `{id, input, output}` as in the fixture. For every job the id, the encoding and the simulated output are
 * compared with the recorded bytes; the times are those of decoding, computing and encoding.
 */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { loadCore } from "../../src/core/load-core.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { simulateJob, simulateVm } from "../../src/prover/circuits/simulate.ts";
import { decode, encode } from "../../src/prover/codec/codec.ts";
import { jobIdOf } from "../../src/prover/jobs/job-id.ts";
import { inputForm } from "../../src/prover/jobs/job-input.ts";
import { decodeOutput, encodeOutput } from "../../src/prover/jobs/job-output.ts";
import { nameOfJobType } from "../../src/prover/jobs/job-type.ts";
import { decodeVmInput, encodeVmInput } from "../../src/prover/jobs/vm-input.ts";
import { recordedJobsOf } from "../world/prover/recorded-jobs.ts";

interface Figures {
  jobs: number;
  different: number;
  ms: number[];
}

const PARTS = ["publicInputs", "proof", "verificationKey"] as const;
const core = loadCore();
const figures = new Map<string, Figures>();

function note(name: string, same: boolean, ms: number): void {
  const row = figures.get(name) ?? { jobs: 0, different: 0, ms: [] };
  row.jobs++;
  if (!same) row.different++;
  row.ms.push(ms);
  figures.set(name, row);
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

for (const file of process.argv.slice(2)) {
  const { epochs } = JSON.parse(gunzipSync(readFileSync(file)).toString());
  for (const { jobs } of epochs) {
    const { binary, vm } = recordedJobsOf(jobs);
    for (const { id, epoch, type, name, input, output } of binary) {
      const codec = inputForm(V4, name);
      const encoded = encode(codec as never, decode(codec as never, name, input) as never);
      const again = encodeOutput(V4, name, decodeOutput(V4, name, output));
      const start = performance.now();
      const simulated = simulateJob({ core, generation: V4 }, name, input);
      const ms = performance.now() - start;
      const equal =
        jobIdOf(epoch, type, input) === id &&
        same(encoded, input) &&
        PARTS.every((part) => same(again[part], output[part]) && same(simulated[part], output[part]));
      note(name, equal, ms);
      if (!equal) console.log(`differs: ${id}`);
    }
    for (const { id, epoch, type, input, output } of vm) {
      const start = performance.now();
      const simulated = simulateVm(V4);
      const ms = performance.now() - start;
      const equal = same(encodeVmInput(V4, decodeVmInput(V4, input)), input) && same(simulated, output);
      note(nameOfJobType(type), equal && jobIdOf(epoch, type, input) === id, ms);
    }
  }
}

console.table(
  [...figures].map(([type, { jobs, different, ms }]) => {
    const sorted = ms.sort((a, b) => a - b);
    return {
      type,
      jobs,
      different,
      "median ms": Number(sorted[sorted.length >> 1].toFixed(2)),
      "longest ms": Number(sorted[sorted.length - 1].toFixed(2)),
    };
  }),
);
if (figures.size === 0 || [...figures.values()].some(({ different }) => different > 0)) process.exitCode = 1;
