import { counter, gauge, histogram, upDownCounter } from "../../telemetry/metrics/metric-row.ts";
import type { CounterMetric, Metrics } from "../../telemetry/metrics/metrics.ts";
import { JOB_TYPE_NAMES } from "../jobs/job-type.ts";

const TYPE = "aztec.proving.job_type";
const unit = "{job}";
const labels = { [TYPE]: JOB_TYPE_NAMES } as const;

const count = (name: string, meaning: string) => upDownCounter(`aztec.proving_queue.${name}`, { labels, meaning });

export const BROKER_METRICS = {
  size: gauge("aztec.proving_queue.size", { labels, meaning: "proving jobs that wait for an agent" }),
  active: gauge("aztec.proving_queue.active_jobs_count", {
    labels,
    meaning: "proving jobs that agents work on",
  }),
  enqueued: count("enqueued_jobs_count", "proving jobs that prover nodes sent"),
  cached: count("cached_jobs_count", "proving jobs that a prover node sent again"),
  resolved: count("resolved_jobs_count", "proving jobs that have an output"),
  rejected: count("rejected_jobs_count", "proving jobs that were given up after a failure"),
  aborted: count("aborted_jobs_count", "proving jobs that prover nodes cancelled"),
  retried: count("retried_jobs_count", "failed attempts after which a proving job was queued again"),
  timedOut: count("timed_out_jobs_count", "times that a proving job was taken from a silent or slow agent"),
  wait: histogram("aztec.proving_queue.job_wait", {
    unit: "ms",
    labels,
    meaning: "time from the queue to an agent",
  }),
  duration: histogram("aztec.proving_queue.job_duration", {
    unit: "ms",
    labels,
    meaning: "time from an agent's start to the output of a proving job",
  }),
  refused: counter("svc.proving_queue.refused_outputs", {
    unit,
    labels,
    meaning: "outputs of agents that were not of their job",
  }),
} as const;

/** What a broker counts, by type of job. */
type BrokerEvent = Exclude<keyof typeof BROKER_METRICS, "size" | "active" | "wait" | "duration">;

/** Counts what happens to jobs. Types are numbers of the wire. */
export interface BrokerCounts {
  count(event: BrokerEvent, type: number): void;
  /** Times in milliseconds. */
  time(of: "wait" | "duration", type: number, ms: number): void;
}

export const NO_COUNTS: BrokerCounts = { count() {}, time() {} };

const labelsOf = (type: number) => ({ [TYPE]: JOB_TYPE_NAMES[type] });

export function brokerCounts(metrics: Metrics): BrokerCounts {
  const { size, active, wait, duration, ...rows } = BROKER_METRICS;
  const times = { wait: metrics.histogram(wait), duration: metrics.histogram(duration) };
  const counters = Object.fromEntries(
    Object.entries(rows).map(([event, row]) => [event, metrics.counter(row)]),
  ) as Record<BrokerEvent, CounterMetric>;
  return {
    count: (event, type) => counters[event].add(1, labelsOf(type)),
    time: (of, type, ms) => times[of].record(Math.floor(ms), labelsOf(type)),
  };
}

/** Exports how many jobs wait and are worked on when metrics are collected. Returns an unsubscribe function. */
export function observeBroker(
  metrics: Metrics,
  broker: { counts(type: number): { queued: number; running: number } },
): () => void {
  return metrics.observe((to) => {
    for (const type of JOB_TYPE_NAMES.keys()) {
      const { queued, running } = broker.counts(type);
      to.set(BROKER_METRICS.size, queued, labelsOf(type));
      to.set(BROKER_METRICS.active, running, labelsOf(type));
    }
  });
}
