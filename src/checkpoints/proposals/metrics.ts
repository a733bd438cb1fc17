import { gauge, histogram, upDownCounter } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import type { ReexecutionRecord } from "./block-proposal-check.ts";

const STATUS = "aztec.status";

export const CHECKPOINT_METRICS = {
  time: gauge("aztec.validator.re_execution_time", {
    unit: "ms",
    meaning: "time of executing the latest proposed block of another",
  }),
  mana: histogram("aztec.validator.re_execution_mana", {
    unit: "Mmana",
    meaning: "mana of proposed blocks that were executed",
  }),
  txs: histogram("aztec.validator.re_execution_tx_count", {
    unit: "tx",
    meaning: "transactions of proposed blocks that were executed",
  }),
  failed: upDownCounter("aztec.validator.failed_reexecution_count", {
    labels: { [STATUS]: ["failed"] },
    meaning: "proposed blocks whose execution gave something else, or failed",
  }),
} as const;

/** Counts the executions of blocks that others propose. */
export function reexecutionRecord(metrics: Metrics): ReexecutionRecord {
  const time = metrics.gauge(CHECKPOINT_METRICS.time);
  const mana = metrics.histogram(CHECKPOINT_METRICS.mana);
  const txs = metrics.histogram(CHECKPOINT_METRICS.txs);
  const failed = metrics.counter(CHECKPOINT_METRICS.failed);
  return {
    executed(block) {
      time.set(Math.ceil(block.ms));
      mana.record(block.mana / 1e6);
      txs.record(block.txs);
    },
    failed: () => failed.add(1, { [STATUS]: "failed" }),
  };
}
