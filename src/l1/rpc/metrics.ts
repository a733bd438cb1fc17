import { counter, gauge, histogram } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { L1_CALL_SECONDS, type L1CallCounts } from "./l1-call-counts.ts";

const ENDPOINT = { endpoint: "any" } as const;

/** The configured URLs bound the label `endpoint`, which holds what a log shows of one: scheme and host. */
export const L1_METRICS = {
  blockHeight: gauge("aztec.l1.block_height", { meaning: "latest L1 block that an endpoint has shown" }),
  calls: counter("svc.l1.calls", {
    unit: "{call}",
    labels: { ...ENDPOINT, outcome: "any" },
    meaning:
      "calls to L1 by endpoint and outcome: ok, rpc-error, rate-limited, unreachable, timeout, http-status, nonsense, behind",
  }),
  callDuration: histogram("svc.l1.call.duration", {
    unit: "s",
    labels: ENDPOINT,
    bounds: L1_CALL_SECONDS,
    meaning: "time of calls to L1",
  }),
} as const;

interface ObservedL1 {
  calls: Pick<L1CallCounts, "read">;
  /** Undefined before the first. */
  latestBlock(): number | undefined;
}

/** Exports the calls to L1. */
export function observeL1(metrics: Metrics, { calls, latestBlock }: ObservedL1): () => void {
  return metrics.observe((to) => {
    const latest = latestBlock();
    if (latest !== undefined) to.set(L1_METRICS.blockHeight, latest);
    for (const { endpoint, outcomes, seconds } of calls.read()) {
      for (const [outcome, count] of outcomes) to.set(L1_METRICS.calls, count, { endpoint, outcome });
      to.setDistribution(L1_METRICS.callDuration, seconds, { endpoint });
    }
  });
}
