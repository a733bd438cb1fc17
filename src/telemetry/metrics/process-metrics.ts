import { totalmem } from "node:os";
import { constants, monitorEventLoopDelay, PerformanceObserver, performance } from "node:perf_hooks";
import { counter, gauge, histogram, upDownCounter } from "./metric-row.ts";
import type { Metrics } from "./metrics.ts";

const STATE = "nodejs.eventloop.state";
const CPU_STATE = "process.cpu.state";
const KIND = "kind";

const delay = (name: string, meaning: string) =>
  gauge(`nodejs.eventloop.delay.${name}`, { unit: "ns", meaning: `${meaning} of the event loop of the node's thread` });

export const PROCESS_METRICS = {
  delays: {
    min: delay("min", "least delay"),
    mean: delay("mean", "mean delay"),
    max: delay("max", "greatest delay"),
    stddev: delay("stddev", "standard deviation of the delay"),
    p50: delay("p50", "median delay"),
    p90: delay("p90", "90th percentile of the delay"),
    p99: delay("p99", "99th percentile of the delay"),
  },
  utilization: gauge("nodejs.eventloop.utilization", {
    meaning: "share of time in which the node's thread was busy, since the last collection",
  }),
  loopTime: upDownCounter("nodejs.eventloop.time", {
    unit: "ms",
    labels: { [STATE]: ["idle", "active"] },
    meaning: "time that the node's thread spent in a state",
  }),
  heapUsed: gauge("nodejs.memory.v8_heap.usage", { meaning: "bytes of the heap of the node's thread in use" }),
  heapTotal: gauge("nodejs.memory.v8_heap.total", { meaning: "bytes of the heap of the node's thread" }),
  external: gauge("nodejs.memory.native.usage", { meaning: "bytes of native objects of the node's thread" }),
  arrayBuffers: gauge("nodejs.memory.array_buffer.usage", { meaning: "bytes of buffers of the node's thread" }),
  resident: gauge("process.memory.usage", { meaning: "resident memory of the process, in bytes" }),
  memoryLimit: gauge("svc.process.memory_limit", {
    unit: "By",
    meaning: "memory that the process may use: that of its control group, or of the machine",
  }),
  cpu: counter("process.cpu.time", {
    unit: "s",
    labels: { [CPU_STATE]: ["user", "system"] },
    meaning: "CPU time of the process, all threads together",
  }),
  started: gauge("svc.process.start_time", { unit: "s", meaning: "Unix time at which the process started" }),
  gc: histogram("svc.gc.duration", {
    unit: "s",
    labels: { [KIND]: ["minor", "major", "incremental", "weakcb"] },
    bounds: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
    meaning: "garbage collections of the node's thread by kind",
  }),
} as const;

const GC_KINDS = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"],
]);

/** Milliseconds between two looks at the event loop. */
const RESOLUTION_MS = 20;
/** Delays are of the time since a collection; one this soon after another gives the same. */
const MIN_WINDOW_MS = 5_000;

/** Exports memory, CPU time and the event loop of the thread that calls this. Returns a function that ends it. */
export function observeProcess(metrics: Metrics): () => void {
  const rows = PROCESS_METRICS;
  const gc = metrics.histogram(rows.gc);
  const collections = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { detail?: { kind?: number } };
      const kind = GC_KINDS.get(detail?.kind ?? -1);
      if (kind !== undefined) gc.record(duration / 1000, { [KIND]: kind });
    }
  });
  collections.observe({ entryTypes: ["gc"] });
  const loopDelay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  loopDelay.enable();
  const delays = eventLoopDelays(loopDelay);
  const memoryLimit = availableMemory();
  let loopBefore = performance.eventLoopUtilization();

  const stopObserving = metrics.observe((to) => {
    const loop = performance.eventLoopUtilization();
    to.set(rows.utilization, performance.eventLoopUtilization(loop, loopBefore).utilization);
    loopBefore = loop;
    to.set(rows.loopTime, Math.trunc(loop.idle), { [STATE]: "idle" });
    to.set(rows.loopTime, Math.trunc(loop.active), { [STATE]: "active" });
    for (const [name, value] of delays()) to.set(rows.delays[name], value);
    const memory = process.memoryUsage();
    to.set(rows.heapUsed, memory.heapUsed);
    to.set(rows.heapTotal, memory.heapTotal);
    to.set(rows.external, memory.external);
    to.set(rows.arrayBuffers, memory.arrayBuffers);
    to.set(rows.resident, memory.rss);
    to.set(rows.memoryLimit, memoryLimit);
    const { user, system } = process.cpuUsage();
    to.set(rows.cpu, user / 1e6, { [CPU_STATE]: "user" });
    to.set(rows.cpu, system / 1e6, { [CPU_STATE]: "system" });
    to.set(rows.started, Math.round(performance.timeOrigin / 1000));
  });
  return () => {
    stopObserving();
    collections.disconnect();
    loopDelay.disable();
  };
}

/** Bytes. Without a limit the control group says 0 or a number beyond the machine's memory. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

type DelayName = keyof (typeof PROCESS_METRICS)["delays"];
type LoopDelay = ReturnType<typeof monitorEventLoopDelay>;

/** Gives the delays of the latest window. Several collectors at a time see the same windows. */
function eventLoopDelays(measured: LoopDelay): () => ReadonlyMap<DelayName, number> {
  let latest: ReadonlyMap<DelayName, number> = new Map();
  let begun = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - begun < MIN_WINDOW_MS || measured.count === 0) return latest;
    const { min, mean, max, stddev } = measured;
    latest = new Map<DelayName, number>([
      ...(Object.entries({ min, mean, max, stddev }) as [DelayName, number][]),
      ["p50", measured.percentile(50)],
      ["p90", measured.percentile(90)],
      ["p99", measured.percentile(99)],
    ]);
    measured.reset();
    begun = performance.now();
    return latest;
  };
}
