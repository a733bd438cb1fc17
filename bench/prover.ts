/**
 * Runs recorded proving jobs through a broker and agents of this program, each a process, with inline proofs:
 *
 *   node bench/prover.ts [--help]
 *
 * Shows the CPU time of each job type in an agent beside that of the reference's agent, the memory and CPU time of the
 * processes, and the bytes between them.
 */
import { writeFileSync } from "node:fs";
import { loadCore } from "../src/core/load-core.ts";
import { simulate } from "../src/prover/circuits/simulate.ts";
import { nameOfJobType } from "../src/prover/jobs/job-type.ts";
import { recordedJobs } from "../test/prover/recorded-jobs.ts";
import { ProvingLoad } from "./lib/proving-load.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { median } from "./lib/statistics.ts";

/**
 * Milliseconds of CPU of the reference's agent per job: decoding, witness and ACVM, medians of up to four jobs of a
 * run with release 4.1.2 on two cores.
 */
const REFERENCE_MS: Readonly<Record<string, number>> = {
  PARITY_BASE: 1726,
  PUBLIC_CHONK_VERIFIER: 10,
  PUBLIC_VM: 84,
  PRIVATE_TX_BASE_ROLLUP: 255,
  PUBLIC_TX_BASE_ROLLUP: 392,
  TX_MERGE_ROLLUP: 29,
  CHECKPOINT_ROOT_ROLLUP: 557,
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: 557,
  CHECKPOINT_PADDING_ROLLUP: 2,
  PARITY_ROOT: 41,
};

const { repeats, epochs, agents, json } = scriptOptions("bench/prover.ts", {
  repeats: wholeOption("runs of each job, whose medians count", 5),
  epochs: wholeOption("times that all recorded jobs go through the processes", 6),
  agents: wholeOption("agents", 2),
  json: JSON_FILE,
});

const core = loadCore();
const { binary, vm } = recordedJobs();
const jobs = [...binary, ...vm];
const byType = new Map<string, number[]>();
for (let run = 0; run <= repeats; run++) {
  for (const job of jobs) {
    const before = process.cpuUsage();
    simulate(core, job);
    const { user, system } = process.cpuUsage(before);
    // The first run compiles.
    if (run === 0) continue;
    const name = nameOfJobType(job.type);
    byType.set(name, [...(byType.get(name) ?? []), (user + system) / 1000]);
  }
}
const rows: Record<string, string>[] = [];
const add = (name: string, figures: Record<string, string>): void => {
  rows.push({ name, ...figures });
  const texts = Object.entries(figures).map(([key, value]) => `${key} ${value}`);
  process.stdout.write(`${name.padEnd(38)} ${texts.join(", ")}\n`);
};
for (const [name, times] of [...byType].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
  const reference = REFERENCE_MS[name];
  add(name, {
    "CPU ms": median(times).toFixed(1),
    ...(reference !== undefined && { "reference, CPU ms": String(reference) }),
  });
}

const load = await ProvingLoad.start(agents);
try {
  add("idle broker", load.broker.figures());
  add("idle agents", load.agents.figures());
  const began = performance.now();
  for (let epoch = 1; epoch <= epochs; epoch++) await load.run(epoch, jobs);
  const seconds = (performance.now() - began) / 1000;
  add("broker", load.broker.figures());
  add("agents", load.agents.figures());
  const { sent, received } = load.bytes;
  const perJob = (bytes: number): string => (bytes / jobs.length / epochs / 1024).toFixed(0);
  add("jobs", {
    jobs: String(jobs.length * epochs),
    "per s": ((jobs.length * epochs) / seconds).toFixed(1),
    "KiB of URI per job, in": perJob(sent),
    "KiB of URI per job, out": perJob(received),
  });
} finally {
  await load.stop();
}
if (json !== undefined) writeFileSync(json, `${JSON.stringify(rows, undefined, 2)}\n`);
