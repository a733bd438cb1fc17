import { join } from "node:path";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import {
  RECORDED_BLOCKS,
  type RecordedL1,
  type SyncedNode,
  startOwnNode,
  startRecordedL1,
  startReferenceNode,
} from "../lib/recorded-nodes.ts";
import { ServerProcess } from "../lib/server-process.ts";
import { inPairs } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES, type PeerId, type RowId } from "../lib/targets.ts";
import { answerTo, call, type Load, latencyAt, load, requireWrk } from "../lib/wrk.ts";

const ECHO = join(import.meta.dirname, "..", "lib", "bare-echo.ts");
const BLOCK_NUMBER = call("node_getBlockNumber", []);
/** Fifty whole blocks, some megabytes of JSON. */
const LONG_CALL = call("node_getBlocks", [1, 50]);
const LONG_CONNECTIONS = 2;

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

/** The first block of the recorded chain that publishes a contract class. */
async function classPublishingBlock({ url }: Served): Promise<number> {
  for (let number = 1; number <= RECORDED_BLOCKS; number++) {
    const block = (await answerTo(url, call("node_getBlock", [number]))) as {
      body: { txEffects: { contractClassLogs: unknown[] }[] };
    };
    if (block.body.txEffects.some(({ contractClassLogs }) => contractClassLogs.length > 0)) return number;
  }
  throw new Error("no block of the recorded chain publishes a contract class");
}

/** Both servers in turn under the same load. */
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

/** One connection's calls with and without long calls on others, in turn. */
async function shortCalls({ repeats, seconds, progress }: SuiteContext, { url }: Served): Promise<SuiteResult> {
  progress("short calls beside long ones");
  await answerTo(url, LONG_CALL);
  const short = () => load({ url, bodies: [BLOCK_NUMBER], seconds, connections: 1 });
  const beside = async (lowPriority = false) => {
    const long = load({ url, bodies: [LONG_CALL], seconds: seconds + 1, connections: LONG_CONNECTIONS, lowPriority });
    const [figures] = await Promise.all([short(), long]);
    return figures;
  };
  await short();
  const pairs = await inPairs(repeats, () => beside(), short);
  const elsewhere: number[] = [];
  for (const { theirs } of pairs) elsewhere.push(latencyAt(await beside(true), 99) - latencyAt(theirs, 99));
  const p99 = (side: "ours" | "theirs") => pairs.map((pair) => latencyAt(pair[side], 99));
  const note = `one connection; long calls: node_getBlocks of 50 blocks on ${LONG_CONNECTIONS} connections`;
  const alone = p99("theirs");
  const disturbed = p99("ours");
  const row = "short-calls";
  return {
    measurements: [
      { kind: "figure", row, name: "p99 alone", unit: "ms", values: alone },
      { kind: "figure", row, name: "p99 beside long calls", unit: "ms", values: disturbed, note },
      { kind: "figure", row, name: FIGURES.delay, unit: "ms", values: disturbed.map((ms, i) => ms - alone[i]) },
      {
        ...{ kind: "figure", row, unit: "ms", values: elsewhere },
        name: "the same, the long calls' client at low priority",
        note: "the clients share the node's two processors; at low priority this one takes them from the node as little as one on another machine",
      },
    ],
    latencies: [
      { name: "getBlockNumber, one connection", points: pairs[0].theirs.latencies },
      { name: "getBlockNumber beside long calls", points: pairs[0].ours.latencies },
    ],
  };
}

/** The same load on a node with two RPC threads; on two processors they share them with the load generator. */
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

/** Answers of a node at rest on the recorded chain. */
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
    if (context.reference !== undefined) {
      const reference = keep(await startReferenceNode(context.reference, l1));
      const byReference = { peer: "reference" } as const;
      for (const of of [
        { ...byReference, row: "block-number", body: BLOCK_NUMBER },
        { ...byReference, row: "get-block", body: blockBody },
      ] as const)
        measurements.push((await compare(context, of, ours, reference)).comparison);
    }
    measurements.push(await twoThreads(context, l1));
    const short = await shortCalls(context, ours);
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
