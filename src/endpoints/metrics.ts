import { counter, gauge } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { EndpointBook } from "./endpoint-book.ts";

/** The configured URLs bound the label `endpoint`, which holds what a log shows of one: scheme and host. */
const LABELS = { service: "any", endpoint: "any" } as const;

export const ENDPOINT_METRICS = {
  answering: gauge("svc.endpoint.answering", {
    labels: LABELS,
    meaning: "1 while the endpoint answers, 0 while it fails or is slower than another and is asked last",
  }),
  failures: counter("svc.endpoint.failures", {
    unit: "{failure}",
    labels: LABELS,
    meaning: "how often the endpoint began to fail",
  }),
} as const;

/** Exports the health of endpoints. Endpoints of one host and service are one row: the worst, and the sum. */
export function observeEndpoints(metrics: Metrics, book: Pick<EndpointBook, "read">): () => void {
  return metrics.observe((to) => {
    const rows = new Map<
      string,
      { labels: { service: string; endpoint: string }; answering: number; failures: number }
    >();
    for (const { service, endpoint, health } of book.read()) {
      const key = `${service} ${endpoint}`;
      const row = rows.get(key) ?? { labels: { service, endpoint }, answering: 1, failures: 0 };
      if (health.state !== "answering") row.answering = 0;
      row.failures += health.failures;
      rows.set(key, row);
    }
    for (const { labels, answering, failures } of rows.values()) {
      to.set(ENDPOINT_METRICS.answering, answering, labels);
      to.set(ENDPOINT_METRICS.failures, failures, labels);
    }
  });
}
