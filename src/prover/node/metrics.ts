import { counter, gauge, histogram } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import type { EpochRun, RunStatus } from "./epoch-run.ts";

/** How attempts to prove an epoch end. */
const OUTCOMES = ["completed", "failed", "stopped", "timed-out", "reorg"] as const satisfies readonly RunStatus[];

export const PROVER_NODE_METRICS = {
  execution: histogram("aztec.prover_node.execution.duration", {
    unit: "ms",
    meaning: "time of executing a proven epoch and making its jobs, over all its checkpoints",
  }),
  duration: histogram("aztec.prover_node.job_duration", {
    unit: "s",
    meaning: "time from the beginning of a proven epoch's jobs, which is while the epoch is open, to its proof",
  }),
  checkpoints: gauge("aztec.prover_node.job_checkpoints", { meaning: "checkpoints of the latest proven epoch" }),
  blocks: gauge("aztec.prover_node.job_blocks", { meaning: "blocks of the latest proven epoch" }),
  txs: gauge("aztec.prover_node.job_transactions", { meaning: "transactions of the latest proven epoch" }),
  checkpoint: histogram("aztec.prover_node.checkpoint_processing.duration", {
    unit: "ms",
    meaning: "time of executing a checkpoint again and making its jobs",
  }),
  allCheckpoints: gauge("aztec.prover_node.all_checkpoints_processing.last_duration", {
    unit: "ms",
    meaning: "time of executing the checkpoints of the latest proven epoch and making their jobs",
  }),
  epochs: counter("svc.prover_node.epochs", {
    unit: "{attempt}",
    labels: { outcome: OUTCOMES },
    meaning: "attempts to prove an epoch by how they ended; completed: submitted, or not needed any more",
  }),
  brokerReachable: gauge("svc.prover_node.broker_reachable", {
    meaning: "1 while the broker elsewhere answers calls, else 0; absent for a broker in the node's process",
  }),
} as const;

/** Counts what a prover node does. */
interface ProverNodeCounts {
  checkpoint(ms: number): void;
  ended(run: Pick<EpochRun, "status" | "proven">): void;
}

export function proverNodeCounts(metrics: Metrics): ProverNodeCounts {
  const rows = PROVER_NODE_METRICS;
  const [execution, duration] = [metrics.histogram(rows.execution), metrics.histogram(rows.duration)];
  const checkpoint = metrics.histogram(rows.checkpoint);
  const epochs = metrics.counter(rows.epochs);
  let latest: EpochRun["proven"];
  metrics.observe((to) => {
    if (latest === undefined) return;
    to.set(rows.checkpoints, latest.checkpoints);
    to.set(rows.blocks, latest.blocks);
    to.set(rows.txs, latest.txs);
    to.set(rows.allCheckpoints, latest.preparingMs);
  });
  return {
    checkpoint: (ms) => checkpoint.record(Math.ceil(ms)),
    ended({ status, proven }) {
      if ((OUTCOMES as readonly RunStatus[]).includes(status)) epochs.add(1, { outcome: status });
      if (proven === undefined) return;
      latest = proven;
      execution.record(proven.preparingMs);
      duration.record(proven.ms / 1000);
    },
  };
}

/** Shows whether a broker elsewhere can be used. Returns an unsubscribe function. */
export function observeBrokerOutages(metrics: Metrics, outages: { readonly usable: boolean }): () => void {
  return metrics.observe((to) => to.set(PROVER_NODE_METRICS.brokerReachable, outages.usable ? 1 : 0));
}
