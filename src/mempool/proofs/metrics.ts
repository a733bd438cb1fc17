import { createHistogram } from "node:perf_hooks";
import { BusyError } from "../../errors/busy-error.ts";
import { gauge, histogram, upDownCounter } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { type ProofVerifier, ProofVerifierMissingError } from "./proof-verifier.ts";

/** A verification takes a second on a slow machine, and waits for others before it. */
const MS_BOUNDS = [25, 50, 100, 200, 350, 500, 750, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
const MAX_MS = 10 * 60_000;

const aggregate = (name: string, meaning: string) =>
  gauge(`aztec.ivc_verifier.agg_duration_${name}`, {
    unit: "ms",
    meaning: `${meaning} of the times of verifications since the start`,
  });

export const PROOF_METRICS = {
  time: histogram("aztec.ivc_verifier.total_time", {
    unit: "ms",
    bounds: MS_BOUNDS,
    meaning: "time from asking for a proof's verification to its verdict, waiting and files included",
  }),
  failures: upDownCounter("aztec.ivc_verifier.failure_count", {
    meaning: "proofs that are wrong, or whose verification gave no verdict",
  }),
  verified: upDownCounter("aztec.proof_verifier.count", { meaning: "proofs of transactions that were verified" }),
  aggregates: {
    min: aggregate("min", "least"),
    max: aggregate("max", "greatest"),
    p50: aggregate("p50", "median"),
    p90: aggregate("p90", "90th percentile"),
    avg: aggregate("avg", "mean"),
  },
} as const;

/** The same verifier, with its verifications counted. */
export function countedVerifier(metrics: Metrics, verifier: ProofVerifier): ProofVerifier {
  const rows = PROOF_METRICS;
  const time = metrics.histogram(rows.time);
  const failures = metrics.counter(rows.failures);
  const verified = metrics.counter(rows.verified);
  const all = createHistogram({ lowest: 1, highest: MAX_MS });
  metrics.observe((to) => {
    if (all.count === 0) return;
    to.set(rows.aggregates.min, all.min);
    to.set(rows.aggregates.max, all.max);
    to.set(rows.aggregates.p50, all.percentile(50));
    to.set(rows.aggregates.p90, all.percentile(90));
    to.set(rows.aggregates.avg, all.mean);
  });
  return {
    get missing() {
      return verifier.missing;
    },
    get fault() {
      return verifier.fault;
    },
    async verify(tx) {
      const began = performance.now();
      try {
        const ok = await verifier.verify(tx);
        const ms = Math.ceil(performance.now() - began);
        verified.add();
        time.record(ms);
        all.record(Math.min(Math.max(ms, 1), MAX_MS));
        if (!ok) failures.add();
        return ok;
      } catch (error) {
        // Nothing was verified, and nothing is wrong with the proof.
        if (!(error instanceof BusyError || error instanceof ProofVerifierMissingError)) failures.add();
        throw error;
      }
    },
    close: () => verifier.close(),
  };
}
