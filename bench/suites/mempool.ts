import { Agent, request } from "node:http";
import { differingPointers } from "../../test/world/live/pointers.ts";
import { seeded } from "../../test/world/mempool/pool-txs.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import {
  type RecordedL1,
  type SyncedNode,
  startOwnNode,
  startRecordedL1,
  startReferenceNode,
} from "../lib/recorded-nodes.ts";
import { cpuTimeOf, memoryOf } from "../lib/server-process.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import type { RowId } from "../lib/targets.ts";
import { freshCalls, recordedForm, simulable, timeless, unseenCall } from "../lib/tx-calls.ts";
import { load, MARK, requireWrk, unmarked } from "../lib/wrk.ts";
import { scriptSuite } from "./scripts.ts";

/** Must be below the number of simulations that may wait. */
const CONNECTIONS = 8;
/** A call of the reference takes some tenths of a second under load, so a shorter load may get no answer. */
const MIN_SECONDS = 5;
/** Number of different txs sent in turn, where a node may have seen them before. */
const TXS = 16;
const WITHOUT_PROOFS = { PROVER_REAL_PROOFS: "false" };
const FULL_POOL = { full: 1_000, alone: 500, quick: 50 };

interface Rate {
  perSecond: number;
  cpuMs: number;
}

async function rate({ url, process }: SyncedNode, of: readonly string[], seconds: number): Promise<Rate> {
  const before = cpuTimeOf(process.pid);
  const { perSecond, requests } = await load({ url, bodies: of, seconds, connections: CONNECTIONS });
  return { perSecond, cpuMs: (cpuTimeOf(process.pid) - before) / requests };
}

/**
 * Compares both nodes under the same load: calls per second, and CPU time per call of all threads, which other programs
 * do not affect.
 */
async function compare(
  { repeats, seconds: asked, progress }: SuiteContext,
  { row, name, of }: { row: RowId; name: string; of: readonly string[] },
  ours: SyncedNode,
  theirs: SyncedNode | undefined,
): Promise<(Comparison | Figure)[]> {
  progress(`${row}, ${name}`);
  const seconds = theirs === undefined ? asked : Math.max(asked, MIN_SECONDS);
  const nodes = theirs === undefined ? [ours] : [ours, theirs];
  const answers = await Promise.all(nodes.map(({ url }) => timeless(url, unmarked(of[0]))));
  const differing = answers.flatMap((answer) => differingPointers(answers[0], answer));
  if (differing.length > 0) throw new Error(`${row}, ${name}: the nodes do not agree at ${differing.join(", ")}`);
  for (const node of nodes) await rate(node, of, seconds);
  const which = of[0].includes(MARK) ? "every tx seen for the first time" : `${of.length} txs in turn, seen before`;
  const note = `${name}; ${CONNECTIONS} connections, ${which}`;
  if (theirs === undefined) {
    const values: number[] = [];
    for (let i = 0; i < repeats; i++) values.push((await rate(ours, of, seconds)).perSecond);
    return [{ kind: "figure", row, name, unit: "/s", values, note }];
  }
  const pairs = await inPairs(
    repeats,
    () => rate(ours, of, seconds),
    () => rate(theirs, of, seconds),
  );
  const side = (key: keyof Rate) => pairs.map((pair) => ({ ours: pair.ours[key], theirs: pair.theirs[key] }));
  const comparison = { kind: "comparison", row, note } as const;
  return [
    { ...comparison, peer: "reference", unit: "/s", better: "more", pairs: side("perSecond") },
    { ...comparison, peer: "reference-cpu", unit: "ms", better: "less", pairs: side("cpuMs") },
  ];
}

/** Posts each body once over several connections. Returns the number of results. */
async function postAll(url: string, all: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const post = (body: string): Promise<boolean> =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sent = request(url, { method: "POST", agent, headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode === 200));
      });
      sent.on("error", reject).end(body);
    });
  const left = [...all];
  let results = 0;
  const work = async (): Promise<void> => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) if (await post(body)) results++;
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  agent.destroy();
  return results;
}

/** Fills a pool with txs, then sends others with the same nullifiers. The node has not seen any of the sent txs. */
async function sending({ quick, reference, progress }: SuiteContext, l1: RecordedL1): Promise<Figure[]> {
  const count = FULL_POOL[quick ? "quick" : reference === undefined ? "alone" : "full"];
  progress(`sendTx, ${count} txs each`);
  const of = recordedForm(0);
  const env = { ...WITHOUT_PROOFS, P2P_MAX_PENDING_TX_COUNT: String(count) };
  const node = await startOwnNode(l1, { env });
  const row = "send-tx";
  const figures: Figure[] = [];
  const send = async (name: string, all: readonly string[], taken: boolean): Promise<void> => {
    const [started, before] = [performance.now(), cpuTimeOf(node.process.pid)];
    const results = await postAll(node.url, all);
    const seconds = (performance.now() - started) / 1000;
    const cpuMs = (cpuTimeOf(node.process.pid) - before) / all.length;
    if (results !== (taken ? all.length : 0)) throw new Error(`sendTx, ${name}: ${results} of ${all.length} are taken`);
    const note = `${CONNECTIONS} connections; ${cpuMs.toFixed(1)} ms of CPU time each`;
    figures.push({ kind: "figure", row, name, unit: "/s", values: [all.length / seconds], note });
  };
  try {
    await postAll(node.url, freshCalls("node_isValidTx", of, "warm-up", TXS));
    const before = memoryOf(node.process.pid);
    await send("valid, until the pool is full", freshCalls("node_sendTx", of, "tx", count, { priorityFee: 10n }), true);
    const after = memoryOf(node.process.pid);
    const memory = (name: keyof typeof after, text: string): Figure => ({
      kind: "figure",
      row,
      name: `${text} that ${count} pending txs add`,
      unit: "MiB",
      values: [after[name] - before[name]],
    });
    figures.push(memory("resident", "resident memory"), memory("anonymous", "memory without files"));
    await send("replacing", freshCalls("node_sendTx", of, "tx", count, { priorityFee: 100n }), true);
    await send("refused by the pool", freshCalls("node_sendTx", of, "tx", count, { priorityFee: 50n }), false);
    const feePayer = seeded("an account without funds");
    await send("not valid", freshCalls("node_sendTx", of, "not valid", TXS, { feePayer }), false);
    return figures;
  } finally {
    await node.process.stop();
  }
}

/**
 * Measures txs on their way into the pool, and simulations, on two nodes of the recorded chain that check no proofs.
 */
export async function mempoolSuite(context: SuiteContext): Promise<SuiteResult> {
  await requireWrk();
  const l1 = await startRecordedL1();
  const running: SyncedNode[] = [];
  try {
    context.progress("starting the nodes");
    const ours = await startOwnNode(l1, { env: WITHOUT_PROOFS });
    running.push(ours);
    let theirs: SyncedNode | undefined;
    if (context.reference !== undefined) {
      theirs = await startReferenceNode(context.reference, l1);
      running.push(theirs);
    }
    const [withoutCalls, withCalls] = [recordedForm(0), recordedForm(1)];
    const measurements: SuiteResult["measurements"] = [];
    const executed = await simulable(ours);
    const [validate, simulate] = ["node_isValidTx", "node_simulatePublicCalls"];
    for (const one of [
      { row: "valid-tx", name: "without public calls", of: unseenCall(validate, withoutCalls) },
      { row: "valid-tx", name: "with public calls", of: unseenCall(validate, withCalls) },
      { row: "simulation", name: "with public calls", of: unseenCall(simulate, executed) },
      { row: "valid-tx-again", name: "without public calls", of: freshCalls(validate, withoutCalls, "fresh", TXS) },
      { row: "valid-tx-again", name: "with public calls", of: freshCalls(validate, withCalls, "fresh", TXS) },
      { row: "simulation-again", name: "with public calls", of: freshCalls(simulate, executed, "fresh", TXS) },
    ] as const)
      measurements.push(...(await compare(context, one, ours, theirs)));
    await Promise.all(running.splice(0).map(({ process }) => process.stop()));
    measurements.push(...(await sending(context, l1)));
    const parts = await scriptSuite("mempool.ts", "the pool and what comes before it, by parts", false)(context);
    return { measurements, tables: parts.tables ?? [] };
  } finally {
    await Promise.all(running.map(({ process }) => process.stop()));
    l1.stop();
  }
}
