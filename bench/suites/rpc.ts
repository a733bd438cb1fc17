import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toHex } from "../../src/protocol/bytes.ts";
import { NOTE_HASH_TREE } from "../../src/protocol/constants.ts";
import { busyConnections, idleConnections } from "../lib/many-connections.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import {
  freePort,
  RECORDED_BLOCKS,
  type RecordedL1,
  type ServedProcess,
  type SyncedNode,
  startOwnNode,
  startRecordedL1,
  startReferenceNode,
  startRpcOnly,
} from "../lib/recorded-nodes.ts";
import { SeededBytes } from "../lib/seeded-bytes.ts";
import { cpuTimeOf, ServerProcess } from "../lib/server-process.ts";
import { inPairs, type Pair } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type PeerId, type RowId } from "../lib/targets.ts";
import { freshCalls, simulable } from "../lib/tx-calls.ts";
import { answerTo, call, type Load, latencyAt, load, requireWrk } from "../lib/wrk.ts";

const ECHO = join(import.meta.dirname, "..", "lib", "bare-echo.ts");
const BLOCK_NUMBER = call("node_getBlockNumber", []);
const LONG_CONNECTIONS = 2;
const LOAD_CONNECTIONS = 32;
const SCRAPE_MS = 1_000;
const METRICS_STARTS = 4;
const METRICS_PAIRS = 6;
/** Until the code of the hot path is compiled. */
const METRICS_WARM_SECONDS = 3;
/** Maximum number of leaves of a call and of calls of a batch: together a search for 10,000 leaves. */
const MAX_LEAVES = 100;
const MAX_CALLS = 100;

interface Served {
  readonly url: string;
}

async function startEcho(): Promise<Served & { stop(): Promise<void> }> {
  const process = new ServerProcess(globalThis.process.execPath, ["--disable-warning=ExperimentalWarning", ECHO]);
  try {
    const [, port] = await process.shows(/^(\d+)\n/);
    return { url: `http://127.0.0.1:${port}`, stop: () => process.stop() };
  } catch (error) {
    await process.stop();
    throw error;
  }
}

/** Number of the first recorded block that publishes a contract class. */
async function classPublishingBlock({ url }: Served): Promise<number> {
  for (let number = 1; number <= RECORDED_BLOCKS; number++) {
    const block = (await answerTo(url, call("node_getBlock", [number]))) as {
      body: { txEffects: { contractClassLogs: unknown[] }[] };
    };
    if (block.body.txEffects.some(({ contractClassLogs }) => contractClassLogs.length > 0)) return number;
  }
  throw new Error("no block of the recorded chain publishes a contract class");
}

/** Compares both servers in turn under the same load. */
async function compare(
  { repeats, seconds, progress }: SuiteContext,
  { row, peer, body, note }: { row: RowId; peer: PeerId; body: string; note?: string },
  ours: Served,
  theirs: Served,
): Promise<{ comparison: Comparison; loads: Load[] }> {
  progress(`${row} against ${peer}`);
  await answerTo(theirs.url, body);
  await answerTo(ours.url, body);
  const drive = ({ url }: Served) => load({ url, bodies: [body], seconds });
  await load({ url: ours.url, bodies: [body], seconds: 1 });
  await load({ url: theirs.url, bodies: [body], seconds: 1 });
  const pairs = await inPairs(
    repeats,
    () => drive(ours),
    () => drive(theirs),
  );
  return {
    comparison: {
      kind: "comparison",
      row,
      peer,
      unit: "/s",
      better: "more",
      pairs: pairs.map((pair) => ({ ours: pair.ours.perSecond, theirs: pair.theirs.perSecond })),
      ...(note === undefined ? {} : { note }),
    },
    loads: pairs.map((pair) => pair.ours),
  };
}

/** A batch of searches for the maximum number of leaves, none of which is in the tree. */
function leafSearches(): string {
  const random = new SeededBytes(1);
  const search = () => {
    const values = Array.from({ length: MAX_LEAVES }, () => toHex(random.field()));
    return call("node_findLeavesIndexes", ["latest", NOTE_HASH_TREE, values]);
  };
  return `[${Array.from({ length: MAX_CALLS }, search).join(",")}]`;
}

/** Latency of one connection's calls with and without long calls of each kind on other connections, in turn. */
async function shortCalls({ repeats, seconds, progress }: SuiteContext, node: Served): Promise<SuiteResult> {
  const { url } = node;
  const row = "short-calls";
  const short = () => load({ url, bodies: [BLOCK_NUMBER], seconds, connections: 1 });
  const beside = async (body: string, lowPriority = false) => {
    const long = load({ url, bodies: [body], seconds: seconds + 1, connections: LONG_CONNECTIONS, lowPriority });
    const [figures] = await Promise.all([short(), long]);
    return figures;
  };
  const p99 = (of: Load) => latencyAt(of, 99);
  const figure = (name: string, values: number[], note?: string): Figure => ({
    ...{ kind: "figure", row, name, unit: "ms", values },
    ...(note === undefined ? {} : { note }),
  });
  const measurements: Figure[] = [];
  const latencies: NonNullable<SuiteResult["latencies"]> = [];
  for (const { name, what, body } of [
    {
      name: FIGURES.delayBySimulations,
      what: "simulations",
      body: freshCalls("node_simulatePublicCalls", await simulable(node), "long", 1)[0],
    },
    { name: FIGURES.delayBySearches, what: "searches for 10,000 leaves", body: leafSearches() },
    { name: FIGURES.delayByBlocks, what: "answers of 50 blocks", body: call("node_getBlocks", [1, 50]) },
  ]) {
    progress(`short calls beside ${what}`);
    await answerTo(url, body);
    await short();
    const pairs = await inPairs(repeats, () => beside(body), short);
    const alone = pairs.map(({ theirs }) => p99(theirs));
    const delays = pairs.map(({ ours }, i) => p99(ours) - alone[i]);
    measurements.push(figure(`p99 alone, before ${what}`, alone));
    measurements.push(figure(name, delays, `one connection; ${LONG_CONNECTIONS} other connections for the long calls`));
    if (latencies.length === 0)
      latencies.push({ name: "getBlockNumber, one connection", points: pairs[0].theirs.latencies });
    latencies.push({ name: `getBlockNumber beside ${what}`, points: pairs[0].ours.latencies });
    if (name !== FIGURES.delayByBlocks) continue;
    const elsewhere: number[] = [];
    for (const ms of alone) elsewhere.push(p99(await beside(body, true)) - ms);
    measurements.push(
      figure(
        "the same, the long calls' client at low priority",
        elsewhere,
        "the clients share the node's two processors; at low priority this one takes them from the node as little as one on another machine",
      ),
    );
  }
  return { measurements, latencies };
}

/** The same load on a node with two RPC threads, which share two processors with the load generator. */
async function twoThreads({ repeats, seconds, progress }: SuiteContext, l1: RecordedL1): Promise<Figure> {
  progress("two RPC threads");
  const node = await startOwnNode(l1, { flags: ["--rpc-threads", "2"] });
  try {
    const values: number[] = [];
    for (let i = 0; i < repeats; i++)
      values.push((await load({ url: node.url, bodies: [BLOCK_NUMBER], seconds })).perSecond);
    return { kind: "figure", row: "block-number", name: "with two instead", unit: "/s", values };
  } finally {
    await node.process.stop();
  }
}

/** Started until all answer; ended together. */
async function readersOf(dataDirectory: string, count: number): Promise<ServedProcess[]> {
  const readers: ServedProcess[] = [];
  try {
    for (let i = 0; i < count; i++) readers.push(await startRpcOnly(dataDirectory, ["--rpc-threads", "1"]));
    return readers;
  } catch (error) {
    await Promise.all(readers.map(({ process }) => process.stop()));
    throw error;
  }
}

/**
 * Two processes that read the store of a node, each with one thread, against a node with two threads, by turns and
 * under the same load: all share two processors with the load generators.
 */
async function readerProcesses(
  { repeats, seconds, progress }: SuiteContext,
  l1: RecordedL1,
): Promise<SuiteResult["measurements"]> {
  progress("two processes that read the store of a node");
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-bench-store-"));
  const running: ServedProcess[] = [];
  const rate = async (urls: readonly string[]) => {
    const connections = LOAD_CONNECTIONS / urls.length;
    const loads = await Promise.all(urls.map((url) => load({ url, bodies: [BLOCK_NUMBER], seconds, connections })));
    return loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  try {
    const node = await startOwnNode(l1, { flags: ["--rpc-threads", "2", "--data-directory", dataDirectory] });
    running.push(node);
    const readers = await readersOf(dataDirectory, 2);
    running.push(...readers);
    const processes = () => rate(readers.map(({ url }) => url));
    const threads = () => rate([node.url, node.url]);
    for (const warm of [processes, threads]) await warm();
    const pairs = await inPairs(repeats, processes, threads);
    const all = pairs.map(({ ours, theirs }) => ({ ours, theirs }));
    return [{ kind: "comparison", row: "reader-processes", peer: "threads", unit: "/s", better: "more", pairs: all }];
  } finally {
    await Promise.all(running.map(({ process }) => process.stop()));
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

/** CPU time of a node, in milliseconds for each request of the loads. */
class CpuPerRequest {
  readonly #node: SyncedNode;
  #milliseconds = 0;
  #requests = 0;

  constructor(node: SyncedNode) {
    this.#node = node;
  }

  async load(seconds: number): Promise<Load> {
    const before = cpuTimeOf(this.#node.process.pid);
    const loaded = await load({ url: this.#node.url, bodies: [BLOCK_NUMBER], seconds });
    this.#milliseconds += cpuTimeOf(this.#node.process.pid) - before;
    this.#requests += loaded.requests;
    return loaded;
  }

  get value(): number {
    return this.#milliseconds / this.#requests;
  }
}

/**
 * The same load on a node whose metrics are read each second, which is more often than Prometheus does, and without.
 * Two processes of one program differ by more than metrics cost, so both nodes are started anew several times.
 */
async function withMetrics(
  { quick, seconds, progress }: SuiteContext,
  l1: RecordedL1,
): Promise<SuiteResult["measurements"]> {
  const row = "metrics";
  const pairs: Pair[] = [];
  const cpuRatios: number[] = [];
  for (let start = 0; start < (quick ? 1 : METRICS_STARTS); start++) {
    progress(`metrics, nodes ${start + 1} of ${quick ? 1 : METRICS_STARTS}`);
    const flags = ["--rpc-threads", "1"];
    const port = await freePort();
    const measured = await startOwnNode(l1, { flags: [...flags, "--metrics-port", String(port)] });
    const nodes = [measured];
    const scrape = async () => void (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    let scraping: NodeJS.Timeout | undefined;
    try {
      const unmeasured = await startOwnNode(l1, { flags });
      nodes.push(unmeasured);
      await scrape();
      scraping = setInterval(() => void scrape(), SCRAPE_MS);
      for (const node of nodes) await new CpuPerRequest(node).load(METRICS_WARM_SECONDS);
      const [ours, theirs] = nodes.map((node) => new CpuPerRequest(node));
      const loads = await inPairs(
        quick ? 1 : METRICS_PAIRS,
        () => ours.load(seconds),
        () => theirs.load(seconds),
      );
      pairs.push(...loads.map((pair) => ({ ours: pair.ours.perSecond, theirs: pair.theirs.perSecond })));
      cpuRatios.push(ours.value / theirs.value);
    } finally {
      clearInterval(scraping);
      await Promise.all(nodes.map(({ process }) => process.stop()));
    }
  }
  const note = `${pairs.length} pairs of loads, the nodes started anew after each ${METRICS_PAIRS}`;
  return [
    { kind: "comparison", row, peer: "unmeasured", unit: "/s", better: "more", pairs, note },
    { kind: "figure", row, name: "CPU time of a call over that without", unit: "times", values: cpuRatios },
  ];
}

/** Measures answers of an idle node on the recorded chain. */
export async function rpcSuite(context: SuiteContext): Promise<SuiteResult> {
  await requireWrk();
  const l1 = await startRecordedL1();
  const running: { stop(): Promise<void> }[] = [];
  const keep = (node: SyncedNode): SyncedNode => {
    running.push(node.process);
    return node;
  };
  try {
    const echo = await startEcho();
    running.push(echo);
    context.progress("starting the nodes");
    const ours = keep(await startOwnNode(l1, { flags: ["--rpc-threads", "1"] }));
    const blockBody = call("node_getBlock", [await classPublishingBlock(ours)]);
    const number = await compare(context, { row: "block-number", peer: "echo", body: BLOCK_NUMBER }, ours, echo);
    const measurements: SuiteResult["measurements"] = [number.comparison];
    measurements.push(await idleConnections(context, l1), ...(await busyConnections(context, l1)));
    measurements.push(...(await withMetrics(context, l1)));
    measurements.push(await twoThreads(context, l1));
    measurements.push(...(await readerProcesses(context, l1)));
    // Measured before the reference runs, because it uses CPU time even when idle.
    const short = await shortCalls(context, ours);
    if (context.reference !== undefined) {
      const reference = keep(await startReferenceNode(context.reference, l1));
      const byReference = { peer: "reference" } as const;
      for (const of of [
        { ...byReference, row: "block-number", body: BLOCK_NUMBER },
        { ...byReference, row: "get-block", body: blockBody },
      ] as const)
        measurements.push((await compare(context, of, ours, reference)).comparison);
    }
    return {
      measurements: [...measurements, ...short.measurements],
      latencies: [
        { name: "getBlockNumber, 32 connections", points: number.loads[0].latencies },
        ...(short.latencies ?? []),
      ],
    };
  } finally {
    await Promise.all(running.map((process) => process.stop()));
    l1.stop();
  }
}
