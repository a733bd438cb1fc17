/**
 * Has the published circuits of v5 judge checkpoints that our builder makes from nothing: empty ones, messages, several
 * blocks, several blobs, transactions with effects of every kind, reverted ones. Each job of their epochs, from the
 * messages up to the root, is computed by the circuit, and by us; both must return the same. Then one field of the
 * input of a job of each kind is changed, place by place: the circuit must refuse it or return something else. Places
 * that it does not constrain are listed: what only the verification of a proof would catch, and hints of nothing.
 *
 *   node test/prover/live/v5-circuits.ts CIRCUITS ACVM [--checkpoints 52] [--proven 1] [--changes 40] [--write FILE]
 *
 * CIRCUITS: the folder `artifacts` of @aztec/noir-protocol-circuits-types 5.2.0. ACVM: the folder of an installed
 * @noir-lang/acvm_js 1.0.0-beta.26. Proofs are not verified, here as in any witness solver. Circuits that are published
 * in a form without constraints as well, for simulations, run in that form, which takes seconds; --proven is how many
 * checkpoints run in the one that is proven, which takes a minute of an idle processor each. --changes is how many
 * places of each kind's input are changed. FILE receives digests of what the circuits returned in the first two epochs,
 * which test/prover/circuits/circuits.made-chain.test.ts compares with ours.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadCore } from "../../../src/core/load-core.ts";
import { bigUintBytes, equal, readBigUint } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { Checks, say } from "../../world/live/checks.ts";
import { MadeChain } from "../../world/prover/made-chain.ts";
import { jobDigest, madeEpochs, RECORDED_EPOCHS } from "../../world/prover/made-epochs.ts";
import { accumulatorIn, CircuitJudge, type JudgedJob, PublishedCircuits } from "./published-circuits.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checkpoints: { type: "string", default: "52" },
    proven: { type: "string", default: "1" },
    changes: { type: "string", default: "40" },
    write: { type: "string" },
  },
});
const [folder, acvm] = positionals;
if (folder === undefined || acvm === undefined) throw new Error("name the folders of the circuits and of the ACVM");

const core = loadCore();
const circuits = new PublishedCircuits(folder, acvm);
const chain = new MadeChain(core, V5);
const checks = new Checks();
const counts = new Map<BinaryJobType, number>();
/** The first job of each type. */
const samples = new Map<BinaryJobType, JudgedJob>();
const digests: string[] = [];
const known = new Map<string, Uint8Array>();
let proven = Number(values.proven);

function formOf(type: BinaryJobType): "simulated" | "proven" {
  if (!type.startsWith("CHECKPOINT_ROOT")) return "simulated";
  return proven-- > 0 ? "proven" : "simulated";
}

async function judgeEpoch(number: number, checkpoints: ReturnType<typeof madeEpochs>[0]): Promise<string> {
  const judge = new CircuitJudge(circuits, { core, generation: V5 }, formOf, known, (job) => {
    counts.set(job.type, (counts.get(job.type) ?? 0) + 1);
    if (!samples.has(job.type)) samples.set(job.type, job);
    if (number < RECORDED_EPOCHS) digests.push(jobDigest(job.type, job.inputs, job.returned));
  });
  const prover = new EpochProver({ core, generation: V5, runner: judge, kzg: chain.kzg }, chain.terms(number));
  for (const checkpoint of checkpoints) await chain.add(prover, number, checkpoint);
  const { publicInputs } = await prover.prove();
  return `${checkpoints.length} checkpoints, ${checkpoints.flatMap(({ blocks }) => blocks).length} blocks, ${
    checkpoints.flatMap(({ blocks }) => blocks.flat()).length
  } transactions, root over ${publicInputs.length} fields`;
}

/** Changes places of a job's input, one at a time. Returns how the circuit took them. */
async function change({ type, inputs, returned }: JudgedJob) {
  const places = circuits.places(type);
  const step = Math.max(1, places.length / Number(values.changes));
  const chosen = Array.from({ length: Math.min(places.length, Number(values.changes)) }, (_, i) => {
    return places[Math.floor(i * step)];
  });
  const taken = { refused: 0, other: 0, same: [] as string[] };
  for (const { path, at } of chosen) {
    const changed = inputs.slice();
    const before = readBigUint(inputs, at * 32, 32);
    changed.set(bigUintBytes(before > 0n ? before - 1n : 1n, 32), at * 32);
    try {
      const answer = await circuits.run(type, "simulated", changed, accumulatorIn(type, returned));
      if (equal(answer, returned)) taken.same.push(path);
      else taken.other++;
    } catch {
      taken.refused++;
    }
  }
  return { places: places.length, changed: chosen.length, ...taken };
}

/** What only the verification of a child's proof constrains: its fields and those of its key. */
const OF_PROOFS = /proof\[|\.vk\.key\[/;

for (const [number, checkpoints] of madeEpochs(Number(values.checkpoints)).entries()) {
  await checks.of(`epoch ${number}: the circuits accept each job and return what we compute`, async () => {
    const began = performance.now();
    const figures = await judgeEpoch(number, checkpoints);
    return { passed: true, figures: `${figures}; ${Math.round((performance.now() - began) / 1000)} s` };
  });
}
say(`jobs by type: ${JSON.stringify(Object.fromEntries(counts))}`);
if (values.write !== undefined) writeFileSync(values.write, `${digests.sort().join("\n")}\n`);
if (Number(values.changes) > 0) {
  for (const job of samples.values()) {
    if (job.inputs.length === 0) continue;
    await checks.of(`${job.type}: what one changed field does`, async () => {
      const figures = await change(job);
      const loose = figures.same.filter((path) => !OF_PROOFS.test(path));
      return { passed: figures.refused + figures.other > 0, figures: { ...figures, loose } };
    });
  }
}
for (const [file, { ms, runs }] of circuits.spent) say(`${file}: ${runs} runs, ${Math.round(ms / runs)} ms each`);
await chain.close();
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exit(checks.failed === 0 ? 0 : 1);
