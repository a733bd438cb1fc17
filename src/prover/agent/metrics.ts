import { counter, gauge, histogram } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { JOB_TYPE_NAMES, type JobType, nameOfJobType } from "../jobs/job-type.ts";

const TYPE = "aztec.proving.job_type";
const types = { [TYPE]: JOB_TYPE_NAMES } as const;

/** How an agent's work on a job ended; `replaced`: by another job. */
export type JobOutcome = "done" | "failed" | "replaced";

export const AGENT_METRICS = {
  busy: gauge("svc.proving_agent.busy", { unit: "{agent}", meaning: "agents of the process that work on a job" }),
  jobs: counter("svc.proving_agent.jobs", {
    unit: "{job}",
    labels: { ...types, outcome: ["done", "failed", "replaced"] },
    meaning: "proving jobs by how the work on them ended",
  }),
  duration: histogram("svc.proving_agent.job_duration", {
    unit: "ms",
    labels: types,
    meaning: "time of a proving job from its assignment to its stored output",
  }),
} as const;

/** Counts what the agents of a process do. */
export interface AgentCounts {
  ended(type: JobType, outcome: JobOutcome, ms: number): void;
}

export const NO_AGENT_COUNTS: AgentCounts = { ended() {} };

export function agentCounts(metrics: Metrics): AgentCounts {
  const jobs = metrics.counter(AGENT_METRICS.jobs);
  const duration = metrics.histogram(AGENT_METRICS.duration);
  return {
    ended(type, outcome, ms) {
      const labels = { [TYPE]: nameOfJobType(type) };
      jobs.add(1, { ...labels, outcome });
      if (outcome === "done") duration.record(Math.round(ms), labels);
    },
  };
}

/** Exports how many agents are at work when metrics are collected. Returns an unsubscribe function. */
export function observeAgents(
  metrics: Metrics,
  agents: readonly { readonly status: { readonly status: string } }[],
): () => void {
  return metrics.observe((to) => {
    to.set(AGENT_METRICS.busy, agents.filter(({ status }) => status.status === "proving").length);
  });
}
