import { once } from "node:events";
import net from "node:net";
import type { Figure } from "./measurement.ts";
import { pacedLoad } from "./paced-load.ts";
import { type RecordedL1, startOwnNode } from "./recorded-nodes.ts";
import { memoryOf } from "./server-process.ts";
import { percentile } from "./statistics.ts";
import type { SuiteContext } from "./suite.ts";
import { FIGURES } from "./targets.ts";
import { call, latencyAt, load } from "./wrk.ts";

const BLOCK_NUMBER = call("node_getBlockNumber", []);
const FLAGS = [
  ...["--rpc-threads", "1"],
  ...["--rpc-max-connections", "20000"],
  ...["--rpc-max-connections-per-client", "20000"],
];
const IDLE = 10_000;
const OPENED_AT_ONCE = 200;
const BUSY = 1_000;
/** Requests whose times do not depend on the answers; too few to be part of the load. */
const PACED_PER_SECOND = 200;
const PACED_CONNECTIONS = 50;

/** A connection that has had one answer. */
async function idleConnection(url: string): Promise<net.Socket> {
  const { hostname, port, host } = new URL(url);
  const socket = net.connect(Number(port), hostname);
  await once(socket, "connect");
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`;
  socket.write(`${head}\r\nContent-Length: ${BLOCK_NUMBER.length}\r\n\r\n${BLOCK_NUMBER}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (!answer.toString("latin1").startsWith("HTTP/1.1 200")) throw new Error(`an idle connection got ${answer}`);
  return socket;
}

/** Memory that a node takes for connections that have asked once and now do nothing. */
export async function idleConnections({ repeats, quick, progress }: SuiteContext, l1: RecordedL1): Promise<Figure> {
  const count = quick ? 200 : IDLE;
  const values: number[] = [];
  for (let i = 0; i < repeats; i++) {
    progress(`${count} idle connections, node ${i + 1} of ${repeats}`);
    const node = await startOwnNode(l1, { flags: FLAGS });
    const sockets: net.Socket[] = [];
    try {
      // The code of these requests is compiled, and what they leave behind is allocated.
      await load({ url: node.url, bodies: [BLOCK_NUMBER], seconds: 2 });
      const before = memoryOf(node.process.pid).resident;
      while (sockets.length < count) {
        const several = Array.from({ length: OPENED_AT_ONCE }, () => idleConnection(node.url));
        sockets.push(...(await Promise.all(several)));
      }
      values.push(memoryOf(node.process.pid).resident - before);
      const closed = sockets.filter(({ readyState }) => readyState !== "open").length;
      if (closed > 0) throw new Error(`${closed} of ${count} connections were closed before memory was measured`);
    } finally {
      for (const socket of sockets) socket.destroy();
      await node.process.stop();
    }
  }
  const note = "resident memory of the node with them less that before, each on a node that was started anew";
  return { kind: "figure", row: "idle-connections", name: FIGURES.idleMemory, unit: "MiB", values, note };
}

/**
 * Latency with many connections that each pause between calls, so that together they make half of the calls that they
 * get answered without pauses.
 */
export async function busyConnections(context: SuiteContext, l1: RecordedL1): Promise<Figure[]> {
  const { repeats, seconds, quick, progress } = context;
  const connections = quick ? 50 : BUSY;
  progress(`${connections} busy connections`);
  const { url, process } = await startOwnNode(l1, { flags: FLAGS });
  const rates: number[] = [];
  const closed: number[] = [];
  const paced: number[] = [];
  let cpu = 0;
  try {
    const drive = (thinkMs?: number) => load({ url, bodies: [BLOCK_NUMBER], seconds, connections, thinkMs });
    await drive();
    for (let i = 0; i < repeats; i++) {
      const top = (await drive()).perSecond;
      const half = { url, body: BLOCK_NUMBER, perSecond: PACED_PER_SECOND, seconds, connections: PACED_CONNECTIONS };
      const [loaded, probed] = await Promise.all([drive((2 * 1000 * connections) / top), pacedLoad(half)]);
      rates.push(loaded.perSecond / top);
      closed.push(latencyAt(loaded, 99));
      paced.push(percentile(probed.latencies, 99));
      cpu = Math.max(cpu, probed.cpuMsPerSecond);
    }
  } finally {
    await process.stop();
  }
  const row = "busy-connections";
  const note =
    `${PACED_PER_SECOND} requests a second at random times that do not depend on answers, beside ${connections} ` +
    `connections that pause between requests; measured from when a request was due; this generator uses ` +
    `${Math.round(cpu)} ms of CPU time a second`;
  return [
    { kind: "figure", row, name: FIGURES.p99AtHalf, unit: "ms", values: paced, note },
    { kind: "figure", row, name: "p99 of those connections themselves", unit: "ms", values: closed },
    { kind: "figure", row, name: "their rate over the rate without pauses", unit: "times", values: rates },
  ];
}
