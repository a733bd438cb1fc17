/**
 * Has the published circuits of v5 judge checkpoints that our builder makes from nothing: empty ones, messages, several
 * blocks, several blobs, transactions with effects of every kind, reverted ones. Each job of their epochs, from the
 * messages up to the root, is computed by the circuit, and by us; both must return the same.
 *
 * Then one field of an input is changed, place by place. A place is a member of a circuit's input; of arrays with more
 * than four items the first item, the last one in use, the first unused one and the last one count, and for each of
 * them a zero and another value (in whichever job has it). The circuit must refuse the change. If it returns something
 * else, that goes to the circuits above it, up to the root: one of them must refuse it, or the root returns a word that
 * the rollup contract does not accept. Places without effect must be those in unconstrained-places.ts.
 *
 *   node test/prover/live/v5-circuits.ts CIRCUITS ACVM [--checkpoints 52] [--large] [--proven 1] [--changes 40|all]
 *     [--only PATTERN] [--known FILE] [--write FILE]
 *
 * CIRCUITS: the folder `artifacts` of @aztec/noir-protocol-circuits-types 5.2.0. ACVM: the folder of an installed
 * @noir-lang/acvm_js 1.0.0-beta.26. Proofs are not verified, here as in any witness solver. Circuits that are published
 * in a form without constraints as well, for simulations, run in that form, which takes seconds; --proven is how many
 * checkpoints run in the one that is proven, which takes a minute of an idle processor each. --large adds checkpoints
 * that reach each limit: full blobs, 1,024 messages, 24 blocks, 32 checkpoints in an epoch. --changes is how many
 * places of each circuit are changed, with --only of those whose "CIRCUIT path" matches the pattern. --known keeps what circuits returned in a
 * file, from which a later run takes it. The file of --write receives digests of what they returned in the first two
 * epochs, which test/prover/circuits/circuits.made-chain.test.ts compares with ours.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadCore } from "../../../src/core/load-core.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { Checks, say } from "../../world/live/checks.ts";
import { MadeChain, type MadeCheckpoint } from "../../world/prover/made-chain.ts";
import { jobDigest, largeEpochs, madeEpochs, RECORDED_EPOCHS } from "../../world/prover/made-epochs.ts";
import { changePlaces, placesToChange } from "./changed-places.ts";
import { JudgedEpoch } from "./judged-epoch.ts";
import { CircuitJudge, PublishedCircuits } from "./published-circuits.ts";
import { UNCONSTRAINED } from "./unconstrained-places.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    checkpoints: { type: "string", default: "52" },
    large: { type: "boolean", default: false },
    proven: { type: "string", default: "1" },
    changes: { type: "string", default: "40" },
    only: { type: "string" },
    write: { type: "string" },
    known: { type: "string" },
  },
});
const [folder, acvm] = positionals;
if (folder === undefined || acvm === undefined) throw new Error("name the folders of the circuits and of the ACVM");

const core = loadCore();
const context = { core, generation: V5 };
const circuits = new PublishedCircuits(folder, acvm, context);
const chain = new MadeChain(core, V5);
const checks = new Checks();
const counts = new Map<BinaryJobType, number>();
/** The first epochs, which have a job of every kind. */
const judged: JudgedEpoch[] = [];
/** Of all jobs, and of those in the epochs whose digests are recorded. */
const [jobs, recorded] = [new Set<string>(), new Set<string>()];
const known = knownAnswers(values.known);
let proven = Number(values.proven);

/** What circuits returned in an earlier run, by type and input. */
function knownAnswers(file: string | undefined): Map<string, Uint8Array> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines: [string, string][] = JSON.parse(readFileSync(file, "utf8"));
  return new Map(lines.map(([key, returned]) => [key, fromHex(returned)]));
}

function formOf(type: BinaryJobType): "simulated" | "proven" {
  if (!type.startsWith("CHECKPOINT_ROOT")) return "simulated";
  return proven-- > 0 ? "proven" : "simulated";
}

async function judgeEpoch(number: number, checkpoints: readonly MadeCheckpoint[]): Promise<string> {
  const epoch = new JudgedEpoch(circuits);
  const judge = new CircuitJudge(circuits, context, formOf, known, (job) => {
    const digest = jobDigest(job.type, job.inputs, job.returned);
    if (!jobs.has(digest)) counts.set(job.type, (counts.get(job.type) ?? 0) + 1);
    jobs.add(digest);
    if (number >= RECORDED_EPOCHS) return;
    recorded.add(digest);
    epoch.add(job);
  });
  const prover = new EpochProver({ core, generation: V5, runner: judge, kzg: chain.kzg }, chain.terms(number));
  for (const checkpoint of checkpoints) await chain.add(prover, number, checkpoint);
  const { publicInputs } = await prover.prove();
  if (number < RECORDED_EPOCHS) judged.push(epoch);
  return `${checkpoints.length} checkpoints, ${checkpoints.flatMap(({ blocks }) => blocks).length} blocks, ${
    checkpoints.flatMap(({ blocks }) => blocks.flat()).length
  } transactions, root over ${publicInputs.length} fields`;
}

const count = Number(values.checkpoints);
for (const [number, checkpoints] of [...madeEpochs(count), ...(values.large ? largeEpochs(count) : [])].entries()) {
  await checks.of(`epoch ${number}: the circuits accept each job and return what we compute`, async () => {
    const began = performance.now();
    const figures = await judgeEpoch(number, checkpoints);
    return { passed: true, figures: `${figures}; ${Math.round((performance.now() - began) / 1000)} s` };
  });
}
say(`jobs by type: ${JSON.stringify(Object.fromEntries(counts))}`);
if (values.write !== undefined) writeFileSync(values.write, `${[...recorded].sort().join("\n")}\n`);

if (values.known !== undefined) {
  writeFileSync(values.known, JSON.stringify([...known].map(([key, returned]) => [key, toHex(returned)])));
}

const limit = values.changes === "all" ? Number.POSITIVE_INFINITY : Number(values.changes);
const only = new RegExp(values.only ?? "");
const reasons = new Set<string>();
if (limit > 0) {
  const toChange = [...placesToChange(circuits, judged, only, limit)];
  say(`places to change: ${JSON.stringify(Object.fromEntries(toChange.map(([type, { length }]) => [type, length])))}`);
  for (const [type, places] of toChange) {
    await checks.of(`${type}: one changed field is refused, or known to be without effect`, async () => {
      const { figures, unexplained, explained } = await changePlaces(type, places);
      for (const reason of explained) reasons.add(reason);
      return { passed: unexplained.length === 0, figures: { ...figures, unexplained } };
    });
  }
}
if (limit === Number.POSITIVE_INFINITY && values.only === undefined) {
  const idle = UNCONSTRAINED.filter(({ why }) => !reasons.has(why)).map(({ why }) => why);
  checks.add("each kind of unconstrained place occurs", idle.length === 0, { idle });
}
for (const [file, { ms, runs }] of circuits.spent) say(`${file}: ${runs} runs, ${Math.round(ms / runs)} ms each`);
await chain.close();
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exit(checks.failed === 0 ? 0 : 1);
