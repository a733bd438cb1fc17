import { counter, gauge, histogram } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { CALL_SECONDS, type CallCounts } from "./calls/call-counts.ts";
import type { KeyCounts } from "./keys/key-counts.ts";
import type { SocketCuts } from "./subscriptions/socket-cuts.ts";
import type { LongCallPool } from "./threads/long-call-pool.ts";
import type { RpcThreads } from "./threads/rpc-threads.ts";
import { SOCKET_CUTS } from "./wire/web-socket.ts";

const METHOD = { method: "any" } as const;
const THREAD = { thread: "any" } as const;

/** The methods that exist bound the label `method`. */
export const RPC_METRICS = {
  requests: counter("svc.rpc.requests", {
    unit: "{call}",
    labels: { ...METHOD, outcome: "any" },
    meaning:
      "JSON-RPC calls by method (other: no such method, or read elsewhere) and outcome (ok, failed, refused, elsewhere)",
  }),
  duration: histogram("svc.rpc.request.duration", {
    unit: "s",
    labels: METHOD,
    bounds: CALL_SECONDS,
    meaning:
      "time from a read request to its answer; of calls answered from the request's bytes one in 16 counts for all",
  }),
  connections: gauge("svc.rpc.connections", { unit: "{connection}", meaning: "open connections of the public port" }),
  socketsCut: counter("svc.rpc.sockets.cut", {
    unit: "{connection}",
    labels: { cause: SOCKET_CUTS },
    meaning:
      "WebSockets closed for what their clients did: control_frames (too many pings or pongs), unread (does not read), unfinished (a message was not completed), too_long (a message over the limit), calls (too many calls wait), busy (no memory beside other clients)",
  }),
  keyCalls: counter("svc.rpc.key.calls", {
    unit: "{call}",
    labels: { key: "any", outcome: "any" },
    meaning: "JSON-RPC calls by name of the API key they were made with and outcome (ok, refused by the key's rate)",
  }),
  longWaiting: gauge("svc.rpc.long_calls.waiting", { unit: "{call}", meaning: "long calls that wait for a thread" }),
  longRunning: gauge("svc.rpc.long_calls.running", { unit: "{call}", meaning: "long calls that a thread works on" }),
  longRefused: counter("svc.rpc.long_calls.refused", {
    unit: "{call}",
    meaning: "long calls that were refused because too many were waiting",
  }),
  threadActive: counter("svc.rpc.thread.active", {
    unit: "s",
    labels: THREAD,
    meaning: "time in which an RPC thread's event loop was busy",
  }),
  threadIdle: counter("svc.rpc.thread.idle", {
    unit: "s",
    labels: THREAD,
    meaning: "time in which an RPC thread's event loop waited for events",
  }),
  threadRestarts: counter("svc.rpc.thread.restarts", {
    labels: THREAD,
    meaning: "times that an RPC thread died and was started again",
  }),
} as const;

interface ObservedRpc {
  counts: Pick<CallCounts, "read">;
  longCalls: Pick<LongCallPool, "waiting" | "running" | "refused">;
  cuts: Pick<SocketCuts, "read">;
  /** Undefined where the node's thread answers. */
  threads: Pick<RpcThreads, "openConnections" | "status"> | undefined;
}

/** Exports the calls made with API keys. Returns an unsubscribe function. */
export function observeKeys(metrics: Pick<Metrics, "observe">, counts: Pick<KeyCounts, "read">): () => void {
  return metrics.observe((to) => {
    for (const { key, ...outcomes } of counts.read()) {
      for (const [outcome, calls] of Object.entries(outcomes)) {
        if (calls > 0) to.set(RPC_METRICS.keyCalls, calls, { key, outcome });
      }
    }
  });
}

/** Exports what the public port does. Returns an unsubscribe function. */
export function observeRpc(
  metrics: Pick<Metrics, "observe">,
  { counts, longCalls, cuts, threads }: ObservedRpc,
): () => void {
  return metrics.observe((to) => {
    for (const { method, seconds, ...outcomes } of counts.read()) {
      for (const [outcome, calls] of Object.entries(outcomes)) {
        if (calls > 0) to.set(RPC_METRICS.requests, calls, { method, outcome });
      }
      to.setDistribution(RPC_METRICS.duration, seconds, { method });
    }
    for (const { cause, count } of cuts.read()) to.set(RPC_METRICS.socketsCut, count, { cause });
    to.set(RPC_METRICS.longWaiting, longCalls.waiting);
    to.set(RPC_METRICS.longRunning, longCalls.running);
    to.set(RPC_METRICS.longRefused, longCalls.refused);
    if (threads === undefined) return;
    to.set(RPC_METRICS.connections, threads.openConnections);
    for (const [number, { loop, deaths }] of threads.status().entries()) {
      const thread = String(number);
      to.set(RPC_METRICS.threadRestarts, deaths, { thread });
      if (loop === undefined) continue;
      to.set(RPC_METRICS.threadActive, loop.active / 1000, { thread });
      to.set(RPC_METRICS.threadIdle, loop.idle / 1000, { thread });
    }
  });
}
