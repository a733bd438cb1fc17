/**
 * Executes random transactions for proving, and has the simulator of the network's proof library execute each again on
 * the hints alone that the proof would take. It must find every hint, and come to the same effects, gas and reverts.
 *
 *   node test/prover/live/vm-hints.ts FOLDER GENERATION [--txs N] [--first SEED] [--record FILE]
 *
 * FOLDER is an installed @aztec/bb.js, 4.1.2 for v4 and 5.0.0 for v5. FILE receives digests of the inputs, which
 * test/prover/scenarios/generated-vm-inputs.test.ts reads. Ends with code 1 after a difference.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { UnprocessableTxError } from "../../../src/execution/errors.ts";
import { generationNamed } from "../../../src/protocol/generations/known/choose.ts";
import { HintedVm } from "../../execution/live/native-hints.ts";
import { outcomeOfExecuted } from "../../world/execution/tx-outcome.ts";
import { provenCase } from "../scenarios/proven-case.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    txs: { type: "string", default: "1000" },
    first: { type: "string", default: "0" },
    record: { type: "string" },
  },
});
const [folder, name] = positionals;
if (folder === undefined || name === undefined)
  throw new Error("name the folder of an installed @aztec/bb.js and v4 or v5");
const generation = generationNamed(name === "v4" ? undefined : name);
const native = new HintedVm(folder);
const counts = { equal: 0, reverted: 0, dropped: 0, hints: 0, differ: 0 };

/** By seed: SHA-256 of the input, null where no block can include the transaction. */
const inputs: Record<number, string | null> = {};

/** What differs in a transaction, as text. */
async function difference(seed: number): Promise<string | undefined> {
  let proven: ReturnType<typeof provenCase>;
  try {
    proven = provenCase(seed, generation);
  } catch (error) {
    if (!(error instanceof UnprocessableTxError)) throw error;
    counts.dropped++;
    inputs[seed] = null;
    return undefined;
  }
  const { executed, publicPart } = proven;
  const { vmInput, publicInputs } = publicPart!;
  inputs[seed] = createHash("sha256").update(vmInput).digest("hex");
  const messages = publicInputs.accumulated.l2ToL1Msgs.slice(0, publicInputs.lengths.l2ToL1Msgs);
  const ours = { ...outcomeOfExecuted(executed, messages), calls: [] };
  const theirs = await native.run(vmInput);
  const { hints } = JSON.parse(Buffer.from(vmInput).toString());
  counts.hints += Object.values(hints).reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (ours.revertCode !== 0) counts.reverted++;
  const [a, b] = [JSON.stringify(theirs), JSON.stringify(ours)];
  return a === b ? undefined : `theirs ${a}\n  ours   ${b}`;
}

for (let seed = Number(values.first); seed < Number(values.first) + Number(values.txs); seed++) {
  const found = await difference(seed).catch((error: Error) => `fails: ${error.message}`);
  if (found === undefined) counts.equal++;
  else counts.differ++;
  if (found !== undefined) console.log(`${name} transaction ${seed}\n  ${found}`);
}
console.log(`${name}: ${values.txs} transactions: ${JSON.stringify(counts)}`);
if (values.record !== undefined) writeFileSync(values.record, `${JSON.stringify(inputs)}\n`);
process.exitCode = counts.differ > 0 ? 1 : 0;
