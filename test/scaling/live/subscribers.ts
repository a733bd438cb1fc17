import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import type { FromClients, ToClients } from "./subscribers-clients.ts";
import type { FromNode, ToNode } from "./subscribers-node.ts";

/**
 * Subscribers to the tips of one node of the recorded chain: how long after a commit the last of them hears of it, how
 * much memory each takes, and whether the import of blocks slows down; then the same beside clients that do not read.
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
    await new Promise((resolve) => setTimeout(resolve, 50));
    for (const { tips, count, last } of (await clients.ask({ ask: "received" }, "received")).events) {
      events.set(tips, { count: count + (events.get(tips)?.count ?? 0), last });
    }
  }
  const whole = [...events].filter(([, { count }]) => count === subscribers);
  const delays = whole.flatMap(([tips, { last }]) => (committed.has(tips) ? [last - committed.get(tips)!] : []));
  return { importMs, importCpuMs, delays, merged: committed.size - whole.length };
}

async function steps(
  { node, clients }: { node: NodeProcess; clients: Clients },
  count: number,
  title: string,
): Promise<{ cpuMs: number[]; mostMemory: number }> {
  const all = [];
  let mostMemory = 0;
  for (let i = 0; i < count; i++) {
    all.push(await step(node, clients));
    mostMemory = Math.max(mostMemory, await memoryOf(node));
  }
  const imports = all.map(({ importMs }) => importMs);
  console.log(`${title}: last delivery after the commit: ${spread(all.flatMap(({ delays }) => delays))}`);
  console.log(`${title}: import of a checkpoint: ${spread(imports)}`);
  return { cpuMs: all.map(({ importCpuMs }) => importCpuMs), mostMemory };
}

const bare = await startNode();
const aloneSteps = [];
for (let i = 0; i < bare.checkpoints; i++) aloneSteps.push(await bare.node.ask({ ask: "step" }, "step"));
await bare.node.end();
const alone = aloneSteps.map(({ importCpuMs }) => importCpuMs);
console.log(`nobody subscribed: import of a checkpoint: ${spread(aloneSteps.map(({ importMs }) => importMs))}`);

const { node, port, checkpoints } = await startNode();
const clients: Clients = new Process("./subscribers-clients.ts");
try {
  const before = await memoryOf(node);
  await clients.ask({ ask: "connect", port, count: subscribers }, "connected");
  const after = await memoryOf(node);
  const each = ((after - before) / subscribers / 1024).toFixed(1);
  console.log(`${subscribers} subscribers: ${mebibytes(before)} -> ${mebibytes(after)} MiB, ${each} KiB each`);
  const half = Math.floor(checkpoints / 2);
  const first = await steps({ node, clients }, half, `${subscribers} subscribers`);
  const deaf: Clients = new Process("./subscribers-clients.ts");
  // Starts the thread for long calls, whose memory is not that of the clients.
  await deaf.ask({ ask: "long", port }, "connected");
  const settled = await memoryOf(node);
  console.log(`memory after ${half} checkpoints and one long call: ${mebibytes(settled)} MiB`);
  await deaf.ask({ ask: "silent", port, count: silent, calls: SILENT_CALLS }, "connected");
  const title = `beside ${silent} clients that do not read`;
  const second = await steps({ node, clients }, checkpoints - half, title);
  const beside = second.mostMemory;
  await deaf.end();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const left = mebibytes(await memoryOf(node));
  console.log(
    `${title}: up to ${mebibytes(beside)} MiB, ${mebibytes(beside - settled)} more; when they have left ${left} MiB`,
  );
  const ratio = (numbers: readonly number[], others: readonly number[]): string => {
    const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);
    return (sum(numbers) / sum(others)).toFixed(2);
  };
  console.log(
    `CPU time of the importing thread with subscribers / without: ${ratio(first.cpuMs, alone.slice(0, half))}`,
  );
  console.log(
    `CPU time of the importing thread beside clients that do not read / without: ${ratio(second.cpuMs, alone.slice(half))}`,
  );
  console.log(`subscribers connected at the end: ${(await clients.ask({ ask: "received" }, "received")).open}`);
} finally {
  await clients.end();
  await node.end();
}
