import { type DutyTimes, LEFT_SECONDS } from "./duty-times.ts";
import { histogram } from "./metrics/metric-row.ts";
import type { Metrics } from "./metrics/metrics.ts";

export const DUTY_METRICS = {
  left: histogram("svc.duty.time_left", {
    unit: "s",
    labels: { duty: "any" },
    bounds: LEFT_SECONDS,
    meaning:
      "time that a duty of this node left before it was due, negative if it was too late; of slots that are over",
  }),
} as const;

/** Exports how early the duties of this node were done. */
export function observeDuties(metrics: Metrics, duties: Pick<DutyTimes, "left">): () => void {
  return metrics.observe((to) => {
    for (const [duty, seconds] of duties.left()) to.setDistribution(DUTY_METRICS.left, seconds, { duty });
  });
}
