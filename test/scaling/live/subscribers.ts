import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { FromClients, ToClients } from "./subscribers-clients.ts";
import type { FromNode, ToNode } from "./subscribers-node.ts";

/**
 * Subscribers to the tips of one node of the recorded chain: how long after a commit the last of them hears of it, how
 * much memory each takes, and whether the import of blocks slows down; then the same beside clients that do not read.
 * A second node without clients takes each checkpoint shortly before or after, for comparison.
 *
 *   node test/scaling/live/subscribers.ts --subscribers 10000 --silent 100 --rpc-threads 1
 */

const { values } = parseArgs({
  options: {
    subscribers: { type: "string", default: "10000" },
    silent: { type: "string", default: "100" },
    "rpc-threads": { type: "string", default: "1" },
  },
});
const subscribers = Number(values.subscribers);
const silent = Number(values.silent);
const SILENT_CALLS = 300;
/** Longest wait for deliveries; a failure. */
const LATEST_MS = 60_000;

class Process<Ask, Told extends { kind: string }> {
  readonly child: ChildProcess;

  constructor(file: string, args: string[] = []) {
    this.child = fork(new URL(file, import.meta.url), args, {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      // As in the image and the service of deploy/.
      env: { ...process.env, MALLOC_MMAP_THRESHOLD_: "262144" },
    });
  }

  async told<K extends Told["kind"]>(kind: K): Promise<Extract<Told, { kind: K }>> {
    for (;;) {
      const [message] = (await once(this.child, "message")) as [Told];
      if (message.kind === kind) return message as Extract<Told, { kind: K }>;
    }
  }

  ask<K extends Told["kind"]>(question: Ask, kind: K): Promise<Extract<Told, { kind: K }>> {
    const answer = this.told(kind);
    this.child.send(question as object);
    return answer;
  }

  async end(): Promise<void> {
    const gone = once(this.child, "exit");
    this.child.send({ ask: "end" });
    await gone;
  }
}

type NodeProcess = Process<ToNode, FromNode>;
type Clients = Process<ToClients, FromClients>;

async function startNode(): Promise<{ node: NodeProcess; port: number; checkpoints: number }> {
  const sockets = String(Math.min(32_767, 2 * (subscribers + silent)));
  const node: NodeProcess = new Process("./subscribers-node.ts", [values["rpc-threads"], sockets]);
  return { node, ...(await node.told("ready")) };
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
const memoryOf = async (node: NodeProcess): Promise<number> => (await node.ask({ ask: "memory" }, "memory")).bytes;

function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1);
  return `median ${at(0.5)} ms, p90 ${at(0.9)} ms, longest ${at(1)} ms of ${sorted.length}`;
}

/** Until what a step left behind, such as a garbage collection, is over. */
const settle = (): Promise<void> => sleep(100);

/** Takes one checkpoint. Gives the time of the import and those from commits to the last delivery of their tips. */
async function step(
  node: NodeProcess,
  clients: Clients,
): Promise<{ importMs: number; importCpuMs: number; delays: number[]; merged: number }> {
  const { importMs, importCpuMs, commits } = await node.ask({ ask: "step" }, "step");
  // Tips are first committed at this time; commits of other things leave them as they are.
  const committed = new Map<string, number>();
  for (const { tips, at } of commits) if (!committed.has(tips)) committed.set(tips, at);
  const final = commits.at(-1)!.tips;
  const events = new Map<string, { count: number; last: number }>();
  for (const end = Date.now() + LATEST_MS; (events.get(final)?.count ?? 0) < subscribers; ) {
    if (Date.now() > end) throw new Error(`${events.get(final)?.count ?? 0} of ${subscribers} subscribers were told`);
    await sleep(50);
    for (const { tips, count, last } of (await clients.ask({ ask: "received" }, "received")).events) {
      events.set(tips, { count: count + (events.get(tips)?.count ?? 0), last });
    }
  }
  const whole = [...events].filter(([, { count }]) => count === subscribers);
  const delays = whole.flatMap(([tips, { last }]) => (committed.has(tips) ? [last - committed.get(tips)!] : []));
  return { importMs, importCpuMs, delays, merged: committed.size - whole.length };
}

async function steps(
  { node, bare, clients }: { node: NodeProcess; bare: NodeProcess; clients: Clients },
  count: number,
  title: string,
): Promise<number> {
  const [all, alone] = [[], []] as [Awaited<ReturnType<typeof step>>[], Extract<FromNode, { kind: "step" }>[]];
  let maxMemory = 0;
  const stepBare = async (): Promise<void> => {
    await settle();
    alone.push(await bare.ask({ ask: "step" }, "step"));
  };
  for (let i = 0; i < count; i++) {
    if (i % 2 === 0) await stepBare();
    await settle();
    all.push(await step(node, clients));
    maxMemory = Math.max(maxMemory, await memoryOf(node));
    if (i % 2 === 1) await stepBare();
  }
  console.log(`${title}: last delivery after the commit: ${spread(all.flatMap(({ delays }) => delays))}`);
  const [imports, aloneImports] = [all, alone].map((steps) => spread(steps.map(({ importMs }) => importMs)));
  console.log(`${title}: import of a checkpoint: ${imports}; of the node without clients: ${aloneImports}`);
  const ratios = all.map(({ importCpuMs }, i) => importCpuMs / alone[i].importCpuMs).sort((a, b) => a - b);
  const [low, median, high] = [0.25, 0.5, 0.75].map((share) => ratios[Math.floor(share * count)].toFixed(2));
  console.log(`${title}: CPU time of the importing thread: ${median} times that without clients (${low} to ${high})`);
  return maxMemory;
}

const { node, port, checkpoints } = await startNode();
const { node: bare } = await startNode();
const clients: Clients = new Process("./subscribers-clients.ts");
try {
  const before = await memoryOf(node);
  await clients.ask({ ask: "connect", port, count: subscribers }, "connected");
  const after = await memoryOf(node);
  const each = ((after - before) / subscribers / 1024).toFixed(1);
  console.log(`${subscribers} subscribers: ${mebibytes(before)} -> ${mebibytes(after)} MiB, ${each} KiB each`);
  const half = Math.floor(checkpoints / 2);
  await steps({ node, bare, clients }, half, `${subscribers} subscribers`);
  const deaf: Clients = new Process("./subscribers-clients.ts");
  // Starts the thread for long calls, whose memory is not that of the clients.
  await deaf.ask({ ask: "long", port }, "connected");
  const settled = await memoryOf(node);
  console.log(`memory after ${half} checkpoints and one long call: ${mebibytes(settled)} MiB`);
  await deaf.ask({ ask: "silent", port, count: silent, calls: SILENT_CALLS }, "connected");
  const title = `beside ${silent} clients that do not read`;
  const beside = await steps({ node, bare, clients }, checkpoints - half, title);
  await deaf.end();
  await sleep(2_000);
  const left = mebibytes(await memoryOf(node));
  console.log(
    `${title}: up to ${mebibytes(beside)} MiB, ${mebibytes(beside - settled)} more; when they have left ${left} MiB`,
  );
  console.log(`subscribers connected at the end: ${(await clients.ask({ ask: "received" }, "received")).open}`);
} finally {
  await clients.end();
  await node.end();
  await bare.end();
}
