/**
 * Runs random programs and transactions with the simulator of the network's proof library and with the executor, and
 * compares everything that both tell of them: effects, gas, frames with their data and ends, trees, and which
 * transactions no block can include.
 *
 *   node test/execution/live/fuzz-vm.ts FOLDER GENERATION [--programs N] [--txs N] [--first SEED] [--record FILE]
 *
 * FOLDER is an installed @aztec/bb.js, 4.1.2 for v4 and 5.0.0 for v5. FILE receives a digest of each outcome, which
 * test/execution/scenarios/native-outcomes.test.ts reads. A case that differs is printed with its seed, the members that
 * differ, and its smallest form that does. The last lines are the opcodes that were executed and where they halted.
 * Ends with code 1 after a difference, and when a run of 1,000 programs or more left out an opcode.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { generationNamed } from "../../../src/protocol/generations/known/choose.ts";
import { blockStateOf, type GivenTx, hashed, txOf } from "../../world/execution/avm-vectors.ts";
import { digestOf, type Outcome, outcomeOf } from "../../world/execution/tx-outcome.ts";
import { BATCH, type CaseKind, randomCase } from "../scenarios/random-cases.ts";
import { CountingVm, Coverage } from "./coverage.ts";
import { NativeVm } from "./native-vm.ts";
import { caseText, shrink } from "./shrink.ts";

const PROGRESS_MS = 20_000;
const MAX_SHOWN = 20;
/** Every one of so many cases is executed again, instruction by instruction. */
const COUNTED = 4;
const MIN_FOR_ALL_OPCODES = 1000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    programs: { type: "string", default: "100000" },
    txs: { type: "string", default: "10000" },
    first: { type: "string", default: "0" },
    record: { type: "string" },
  },
});
const [folder, name] = positionals;
if (folder === undefined || name === undefined)
  throw new Error("name the folder of an installed @aztec/bb.js and v4 or v5");
const generation = generationNamed(name === "v4" ? undefined : name);
const instructions = instructionsOf(generation.execution.vm);
const native = new NativeVm(folder, generation);
const vm = new Vm(generation);
const coverage = new Coverage(generation);
const counting = new CountingVm(generation, coverage);
const counts = { equal: 0, dropped: 0, reverted: 0, frames: 0, returned: 0, differ: 0 };

type Options = Parameters<typeof outcomeOf>[3];

/** Members of two outcomes that differ, as text. */
function differences(theirs: Outcome, ours: Outcome): string[] {
  const members = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
  return [...members].flatMap((member) => {
    const [a, b] = [theirs, ours].map((outcome) => JSON.stringify(Reflect.get(outcome, member)));
    if (a === b) return [];
    const at = a === undefined || b === undefined ? 0 : [...a].findIndex((letter, i) => letter !== b[i]);
    const from = Math.max(0, at - 100);
    return [`  ${member}\n    theirs ${a?.slice(from, from + 500)}\n    ours   ${b?.slice(from, from + 500)}`];
  });
}

function count(outcome: Outcome): void {
  if ("dropped" in outcome) {
    counts.dropped++;
    coverage.ended(`dropped: ${outcome.dropped}`);
    return;
  }
  if (outcome.revertCode !== 0) counts.reverted++;
  coverage.ended(`revert code ${["none", "app logic", "teardown", "both"][outcome.revertCode]}`);
  const frames = outcome.calls.flatMap(function all(call): typeof outcome.calls {
    return [call, ...call.nested.flatMap(all)];
  });
  counts.frames += frames.length;
  counts.returned += frames.filter(({ reverted }) => !reverted).length;
}

const oursOf = (given: GivenTx, options: Options, on = vm): Outcome =>
  outcomeOf(on, blockStateOf(given, generation), hashed(txOf(given, generation)), options);
const theirsOf = (given: GivenTx, options: Options): Promise<Outcome> =>
  native.run(given, txOf(given, generation), options);

/** Prints what differs, in the case and in its smallest form that differs. */
async function show(given: GivenTx, options: Options, title: string, found: readonly string[]): Promise<void> {
  console.log(`${title}\n${found.join("\n")}`);
  // What differs, and why it is dropped: a smaller case that differs otherwise shows something else.
  const kind = (theirs: Outcome, ours: Outcome) => [
    ...[theirs, ours].map((outcome) => ("dropped" in outcome ? outcome.dropped.replace(/0x[0-9a-f]+|\d+/g, "") : "")),
    ...differences(theirs, ours).map((text) => text.split("\n")[0]),
  ];
  const kindOf = async (given: GivenTx) => kind(await theirsOf(given, options), oursOf(given, options)).join("\n");
  const wanted = await kindOf(given);
  const differs = async (smaller: GivenTx) => (await kindOf(smaller)) === wanted;
  const smallest = await shrink(given, instructions, differs);
  const left = differences(await theirsOf(smallest, options), oursOf(smallest, options));
  console.log(`smallest form\n${left.join("\n")}\n${caseText(smallest, instructions)}`);
}

async function run(kind: CaseKind, cases: number): Promise<string[]> {
  const digests: string[] = [];
  let told = Date.now();
  for (let seed = Number(values.first); seed < Number(values.first) + cases; seed++) {
    const { given, debugLogs } = randomCase(kind, seed, generation);
    const options = { debugLogs, trees: kind === "tx" };
    const theirs = await theirsOf(given, options);
    const ours = oursOf(given, options);
    digests.push(digestOf(theirs));
    count(ours);
    const found = differences(theirs, ours);
    if (seed % COUNTED === 0) found.push(...differences(theirs, oursOf(given, options, counting.on(given))));
    if (found.length === 0) counts.equal++;
    else if (++counts.differ <= MAX_SHOWN)
      await show(given, options, `${name} ${given.name} differs (${kind}, seed ${seed})`, found);
    if (Date.now() - told > PROGRESS_MS) {
      told = Date.now();
      console.log(`${kind} ${seed + 1 - Number(values.first)} of ${cases}: ${JSON.stringify(counts)}`);
    }
  }
  return digests;
}

try {
  const txs = await run("tx", Number(values.txs));
  const programs = await run("programs", Math.ceil(Number(values.programs) / BATCH));
  console.log(`${name}: ${txs.length} transactions, ${programs.length * BATCH} programs: ${JSON.stringify(counts)}`);
  console.log(`${coverage.table()}\nof every ${COUNTED}th case`);
  const missing = coverage.missing();
  const isWhole = missing.length === 0 || programs.length * BATCH < MIN_FOR_ALL_OPCODES;
  if (!isWhole) console.log(`never executed: ${missing.join(", ")}`);
  if (values.record !== undefined) writeFileSync(values.record, `${JSON.stringify({ txs, programs })}\n`);
  process.exitCode = counts.differ > 0 || !isWhole ? 1 : 0;
} finally {
  await native.close();
}
