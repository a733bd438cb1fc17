import { once } from "node:events";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LoadError } from "./wrk.ts";

export interface PacedLoadOptions {
  url: string;
  body: string;
  perSecond: number;
  seconds: number;
  /** Requests beyond so many at once wait for a connection, which counts as their latency. */
  connections: number;
}

export interface PacedLoad {
  /** Milliseconds from the time at which a request was due to the end of its answer, ascending. */
  latencies: number[];
  /** CPU time of this process for a second of the load, in milliseconds. */
  cpuMsPerSecond: number;
}

/** Length of a whole HTTP answer at the start of a text, undefined while its head is not complete. */
function answerLength(text: string): number | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  return head + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
}

/**
 * Sends requests at random times that do not depend on the answers (a Poisson process), so that a request meets the
 * server as any other one does, and a slow answer delays no later request. A load generator of its own makes the load
 * that these requests are in; this one is for some hundred requests a second.
 *
 * Rejects with a LoadError if an answer is not HTTP 200.
 */
export async function pacedLoad({ url, body, perSecond, seconds, connections }: PacedLoadOptions): Promise<PacedLoad> {
  const { host, hostname, port } = new URL(url);
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  const request = `${head}\r\n\r\n${body}`;
  const latencies: number[] = [];
  const free: net.Socket[] = [];
  const sockets: net.Socket[] = [];
  const waiting: number[] = [];
  const sentFor = new Map<net.Socket, number>();
  let failure: Error | undefined;
  const send = (socket: net.Socket, due: number): void => {
    sentFor.set(socket, due);
    socket.write(request);
  };
  const answered = (socket: net.Socket, answer: string): void => {
    if (!answer.startsWith("HTTP/1.1 200")) failure ??= new LoadError(url, "an answer is not HTTP 200", answer);
    latencies.push(performance.now() - sentFor.get(socket)!);
    sentFor.delete(socket);
    const next = waiting.shift();
    if (next === undefined) free.push(socket);
    else send(socket, next);
  };
  try {
    for (let i = 0; i < connections; i++) {
      const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
      sockets.push(socket);
      await once(socket, "connect");
      let received = "";
      socket.on("data", (part) => {
        received += part.toString("latin1");
        const length = answerLength(received);
        if (length === undefined || received.length < length) return;
        const answer = received.slice(0, length);
        received = received.slice(length);
        answered(socket, answer);
      });
      socket.on("error", (error) => {
        failure ??= error;
      });
      free.push(socket);
    }
    const cpu = process.cpuUsage();
    const end = performance.now() + 1000 * seconds;
    for (let due = performance.now(); due < end && failure === undefined; ) {
      due += (-Math.log(1 - Math.random()) * 1000) / perSecond;
      const left = due - performance.now();
      if (left > 0) await sleep(left);
      const socket = free.pop();
      if (socket === undefined) waiting.push(due);
      else send(socket, due);
    }
    const { user, system } = process.cpuUsage(cpu);
    for (const late = performance.now() + 10_000; sentFor.size > 0 && failure === undefined; await sleep(5)) {
      if (performance.now() > late) failure = new LoadError(url, `${sentFor.size} requests were not answered`, "");
    }
    if (failure !== undefined) throw failure;
    return { latencies: latencies.sort((a, b) => a - b), cpuMsPerSecond: (user + system) / 1000 / seconds };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
