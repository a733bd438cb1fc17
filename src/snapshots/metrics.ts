import { histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";

export const SNAPSHOT_METRICS = {
  duration: histogram("aztec.node.snapshot_duration", {
    unit: "ms",
    bounds: [1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000],
    meaning: "time of making and uploading a snapshot",
  }),
  errors: upDownCounter("aztec.node.snapshot_error_count", { meaning: "snapshots that could not be uploaded" }),
} as const;

/** Returns what counts snapshots: `ms` is undefined for one that failed. */
export function countSnapshots(metrics: Metrics): (ms: number | undefined) => void {
  const duration = metrics.histogram(SNAPSHOT_METRICS.duration);
  const errors = metrics.counter(SNAPSHOT_METRICS.errors);
  return (ms) => (ms === undefined ? errors.add() : duration.record(Math.ceil(ms)));
}
