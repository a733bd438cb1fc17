/**
 * Calls every public function of the contracts that a release publishes, and has the published circuits of v5 judge the
 * blocks. Contracts are deployed by the logs of the registries; private calls, which need a wallet, are left out, but
 * for what they leave in the trees. Each call is made alone first, by our VM and by the simulator of the network's
 * proof library on our hints. Then the builder makes blocks of transactions with calls in setup, app logic and
 * teardown, some of which revert, and each circuit of their epoch must accept its input and return what we compute.
 *
 *   node test/prover/live/v5-contracts.ts CONTRACTS BB CIRCUITS ACVM [--only LABEL,LABEL] [--no-circuits]
 *
 * CONTRACTS: the folder `artifacts` of @aztec/noir-contracts.js 5.2.0. BB: an installed @aztec/bb.js 5.0.0. CIRCUITS
 * and ACVM: see v5-circuits.ts. --only makes blocks for some of the contracts, and calls all.
 */
import { parseArgs } from "node:util";
import { loadCore } from "../../../src/core/load-core.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import { binaryTypeOf } from "../../../src/prover/jobs/job-result.ts";
import { HintedVm } from "../../execution/live/native-hints.ts";
import { Checks, say } from "../../world/live/checks.ts";
import { MadeChain, type MadeTx } from "../../world/prover/made-chain.ts";
import { readArtifacts } from "./contracts/artifact.ts";
import { ALICE, USES } from "./contracts/plans.ts";
import { agrees, Probe } from "./contracts/probe.ts";
import { type FunctionCall, UsedContracts } from "./contracts/used-contracts.ts";
import { CircuitJudge, PublishedCircuits } from "./published-circuits.ts";

const CALLS_PER_TX = 16;
const TXS_PER_BLOCK = 6;
const BLOCKS_PER_CHECKPOINT = 3;
/** Of a token, each with a balance of its own: most of the writes that a transaction may have. */
const TRANSFERS = 31;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, "no-circuits": { type: "boolean", default: false } },
});
const [contractsFolder, bb, circuitsFolder, acvm] = positionals;
if (acvm === undefined) throw new Error("name the folders of contracts, bb.js, circuits and ACVM");

const core = loadCore();
const artifacts = readArtifacts(contractsFolder);
const texts = Object.assign({}, ...[...artifacts.values()].map(({ errors }) => errors)) as Record<string, string>;
const used = new UsedContracts(core, V5, artifacts, USES);
const hinted = new HintedVm(bb);
const probe = new Probe(core, V5, used.contracts, hinted);
const chain = new MadeChain(core, V5, used.contracts);
const checks = new Checks();

/** A transaction, and whether it is to revert. */
interface PlannedTx {
  readonly tx: MadeTx;
  readonly reverts: boolean;
}

/** By contract and function: how often it returned, and why it reverted. */
const counts = new Map<string, { returned: number; reverted: string[] }>();

function count({ artifact, name }: FunctionCall, reason: string | undefined): void {
  const key = `${artifact}.${name}`;
  const known = counts.get(key) ?? { returned: 0, reverted: [] };
  if (reason === undefined) known.returned++;
  else known.reverted.push(reason);
  counts.set(key, known);
}

async function alone(call: FunctionCall): Promise<string | undefined> {
  const code = await probe.run(chain, {
    nonRevertible: used.unique(),
    ...(call.isTeardown ? { teardown: call } : { app: [call] }),
  });
  const reason = code === undefined ? undefined : (texts[String(code)] ?? "without a text");
  count(call, reason);
  return reason;
}

/** A transaction of calls that return, in their order, through all phases. */
function together(calls: readonly FunctionCall[]): MadeTx {
  const teardown = calls.length > 2 ? calls.at(-1) : calls.find(({ isTeardown }) => isTeardown);
  const [first, ...app] = calls.filter((call) => call !== teardown);
  return {
    nonRevertible: used.unique(),
    revertible: used.unique(),
    ...{ setup: first === undefined ? [] : [first], app },
    ...(teardown && { teardown }),
  };
}

/** Calls of one transaction each, in their order; one that is made in teardown ends its transaction. */
function inTxs(calls: readonly FunctionCall[]): FunctionCall[][] {
  const txs: FunctionCall[][] = [[]];
  for (const call of calls) {
    const last = txs.at(-1)!;
    last.push(call);
    if (call.isTeardown || last.length === CALLS_PER_TX) txs.push([]);
  }
  return txs.filter(({ length }) => length > 0);
}

/** Calls a contract's functions one by one. Returns transactions for the chain. */
async function transactionsOf(use: (typeof USES)[number]): Promise<PlannedTx[]> {
  const initialization = used.initialization(use);
  const deployment: MadeTx = {
    ...{ nonRevertible: used.publication(use), classRegistry: V5.contracts.classRegistry },
    ...(initialization && { app: [initialization] }),
  };
  const failed = await probe.run(chain, deployment);
  if (failed !== undefined) throw new Error(`the contract is not initialized: ${texts[String(failed)]}`);
  if (initialization !== undefined) count(initialization, undefined);
  const [returned, reverted]: FunctionCall[][] = [[], []];
  for (const call of used.calls(use, USES)) ((await alone(call)) === undefined ? returned : reverted).push(call);
  const txs: PlannedTx[] = [{ tx: deployment, reverts: false }];
  for (const calls of inTxs(returned)) txs.push({ tx: together(calls), reverts: false });
  for (let i = 0; i < reverted.length; i += 2) {
    const [app, teardown] = reverted.slice(i, i + 2);
    const tx = { nonRevertible: used.unique(), revertible: used.unique(), app: [app], ...(teardown && { teardown }) };
    txs.push({ tx, reverts: true });
  }
  return txs;
}

/** Many transfers of the first token at once. */
function fullTx(): MadeTx {
  const transfer = used.calls(USES[0], USES).find(({ name }) => name === "transfer_in_public")!;
  const [selector, , , , nonce] = transfer.words;
  const app = Array.from({ length: TRANSFERS }, (_, i) => {
    return { ...transfer, words: [selector, ALICE, fr(0x5000 + i), fr(1), nonce] };
  });
  return { nonRevertible: used.unique(), app };
}

const planned: PlannedTx[] = [];
const only = values.only?.split(",");
for (const use of USES) {
  await checks.of(`${use.label}: our VM and the simulator on our hints come to the same`, async () => {
    const txs = await transactionsOf(use);
    planned.push(...txs.filter((_, i) => i === 0 || only === undefined || only.includes(use.label)));
    return {
      passed: true,
      figures: `${txs.length} transactions planned, ${txs.filter((tx) => tx.reverts).length} revert`,
    };
  });
}
planned.push({ tx: fullTx(), reverts: false });
for (const [name, { returned, reverted }] of counts) {
  say(`${name}: ${returned} returned, ${reverted.length} reverted${reverted.map((reason) => `; ${reason}`).join("")}`);
}

const jobs = new Map<string, number>();
const vm = { agreed: 0, reverted: 0 };

function runnerOf(judge: JobRunner): JobRunner {
  return {
    async run(job, signal) {
      if (binaryTypeOf(job.type) === undefined) {
        if (!(await agrees(hinted, V5, job.input()))) throw new Error("the simulator comes to other public inputs");
        vm.agreed++;
        if (JSON.parse(Buffer.from(job.input()).toString()).publicInputs.reverted) vm.reverted++;
      }
      return judge.run(job, signal);
    },
  };
}

if (!values["no-circuits"]) {
  await checks.of("the circuits accept the blocks and return what we compute", async () => {
    const context = { core, generation: V5 };
    const circuits = new PublishedCircuits(circuitsFolder, acvm, context);
    const judge = new CircuitJudge(
      circuits,
      context,
      () => "simulated",
      new Map(),
      ({ type }) => {
        jobs.set(type, (jobs.get(type) ?? 0) + 1);
        say(`${type} accepted`);
      },
    );
    const prover = new EpochProver({ core, generation: V5, runner: runnerOf(judge), kzg: chain.kzg }, chain.terms(0));
    const txs = planned.map(({ tx }) => tx);
    const blocks: MadeTx[][] = [];
    for (let i = 0; i < txs.length; i += TXS_PER_BLOCK) blocks.push(txs.slice(i, i + TXS_PER_BLOCK));
    for (let i = 0; i < blocks.length; i += BLOCKS_PER_CHECKPOINT) {
      await chain.add(prover, 0, { messages: [], blocks: blocks.slice(i, i + BLOCKS_PER_CHECKPOINT) });
    }
    await prover.prove();
    const expected = planned.filter(({ reverts }) => reverts).length;
    return {
      passed: vm.reverted === expected,
      figures: { txs: txs.length, blocks: blocks.length, vm, expected, jobs: Object.fromEntries(jobs) },
    };
  });
}
await chain.close();
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exit(checks.failed === 0 ? 0 : 1);
