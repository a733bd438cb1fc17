/**
 * The whole suite: `npm run bench` measures what needs no other software, `npm run bench:reference` adds the
 * comparisons with the reference implementation. Raw figures, the table and the plots are saved in bench/results/.
 */
import { MAX_BUSY, machineFacts } from "./lib/machine.ts";
import type { Run } from "./lib/measurement.ts";
import { Reference, ReferenceMissingError } from "./lib/reference.ts";
import { resultDocument } from "./lib/result-table.ts";
import { saveRun } from "./lib/save-run.ts";
import { flagOption, namesOption, scriptOptions, textOption } from "./lib/script-options.ts";
import { type StateKind, StatesOnDemand } from "./lib/states-on-demand.ts";
import type { Suite, SuiteContext } from "./lib/suite.ts";
import { requireWrk, WrkMissingError } from "./lib/wrk.ts";
import { coldWitnessSuite } from "./suites/cold-witnesses.ts";
import { coreSuite } from "./suites/core.ts";
import { followerSuite } from "./suites/follower.ts";
import { growthSuite } from "./suites/growth.ts";
import { localNetworkSuite } from "./suites/local-network.ts";
import { longSyncSuite } from "./suites/long-sync.ts";
import { mempoolSuite } from "./suites/mempool.ts";
import { p2pSuite } from "./suites/p2p.ts";
import { proverSuite } from "./suites/prover.ts";
import { rpcSuite } from "./suites/rpc.ts";
import { scriptSuite } from "./suites/scripts.ts";
import { startSuite } from "./suites/start.ts";
import { syncSuite } from "./suites/sync.ts";
import { syntheticSyncSuite } from "./suites/synthetic-sync.ts";
import { tipSuite } from "./suites/tip.ts";
import { validatorSuite } from "./suites/validator.ts";
import { witnessSuite } from "./suites/witnesses.ts";
import { worldStateSuite } from "./suites/world-state.ts";

const SUITES: Record<string, Suite> = {
  core: coreSuite,
  rpc: rpcSuite,
  sync: syncSuite,
  "long-sync": longSyncSuite,
  "synthetic-sync": syntheticSyncSuite(),
  witnesses: witnessSuite,
  "world-state": worldStateSuite,
  growth: growthSuite,
  tip: tipSuite,
  "cold-witnesses": coldWitnessSuite,
  start: startSuite,
  mempool: mempoolSuite,
  p2p: p2pSuite,
  validator: validatorSuite,
  "local-network": localNetworkSuite(),
  attestations: scriptSuite("attestations.ts", "gossiped attestations", true),
  vm: scriptSuite("vm.ts", "public VM", true),
  prover: proverSuite,
  follower: followerSuite,
  "fast-paths": scriptSuite("fast-paths.ts", "CPU time of a request without a fast path of RPC", false),
  execution: scriptSuite("execution.ts", "transactions of the recorded chain, executed again", false),
};

const STATES: Record<string, StateKind> = {
  ...{ witnesses: "large", "world-state": "large" },
  ...{ growth: "growing", "cold-witnesses": "node", start: "node" },
};

/** Pairs per comparison and seconds per load. Without the reference the whole suite must take less than ten minutes. */
const PACES = {
  quick: { repeats: 2, seconds: 1 },
  alone: { repeats: 3, seconds: 1 },
  besideReference: { repeats: 5, seconds: 3 },
};

async function main(): Promise<void> {
  const given = scriptOptions("bench/run.ts", {
    reference: flagOption("also measure the reference"),
    "reference-home": textOption("the reference's installation; REFERENCE_HOME by default", "DIR"),
    only: namesOption("suites, separated by commas", Object.keys(SUITES)),
    "long-chain": textOption("a recording that bench/long-chain.ts made, instead of a shorter one for this run", "DIR"),
    quick: flagOption("small sizes, to see that everything works"),
    "no-save": flagOption("print without saving"),
  });
  const { only: names } = given;
  const reference = given.reference ? new Reference(given["reference-home"] ?? process.env.REFERENCE_HOME) : undefined;
  await requireWrk();

  const startedAt = new Date().toISOString();
  const started = performance.now();
  const machine = await machineFacts();
  const warnings: string[] = [];
  if (machine.busyBefore > MAX_BUSY)
    warnings.push(
      `the machine is not idle: others use ${Math.round(machine.busyBefore * 100)} % of it; the figures say little`,
    );
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);

  const run: Run = {
    startedAt,
    seconds: 0,
    quick: given.quick,
    withReference: reference !== undefined,
    machine,
    warnings,
    suites: {},
    failures: {},
  };
  const wanted = names.flatMap((name) => STATES[name] ?? []);
  const states = new StatesOnDemand(wanted, given.quick, (text) => process.stderr.write(`[state] ${text}\n`));
  process.once("exit", () => states.remove());
  // Signals end the process through "exit", whose handlers remove states and kill servers.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const pace = given.quick ? "quick" : reference === undefined ? "alone" : "besideReference";
  for (const name of names) {
    const begun = performance.now();
    const context: SuiteContext = {
      quick: given.quick,
      ...PACES[pace],
      reference,
      states,
      longChain: given["long-chain"],
      progress: (text) => process.stderr.write(`[${name}] ${text}\n`),
    };
    try {
      const result = await SUITES[name](context);
      run.suites[name] = { ...result, seconds: (performance.now() - begun) / 1000 };
    } catch (error) {
      process.exitCode = 1;
      // The stack has places of this machine, which a kept result is not to name.
      run.failures[name] = error instanceof Error ? error.message : String(error);
      process.stderr.write(`[${name}] failed: ${error instanceof Error ? error.stack : run.failures[name]}\n`);
    }
  }
  run.seconds = (performance.now() - started) / 1000;
  process.stdout.write(resultDocument(run));
  if (given["no-save"]) return;
  process.stderr.write(`saved in ${saveRun(run)}\n`);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ReferenceMissingError || error instanceof WrkMissingError)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 2;
}
