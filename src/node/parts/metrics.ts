import type { PartValues } from "../../config/part-values.ts";
import { EndpointBook } from "../../endpoints/endpoint-book.ts";
import { observeEndpoints } from "../../endpoints/metrics.ts";
import { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import { observeL1Accounts } from "../../l1/tx/metrics.ts";
import { SampledAccounts, type SendingAccounts } from "../../l1/tx/sampled-accounts.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { nodeResource } from "../../process/otlp/resource.ts";
import { startOtlpExports } from "../../process/otlp/start-exports.ts";
import { Teardown } from "../../process/teardown.ts";
import { Metrics } from "../../telemetry/metrics/metrics.ts";
import { startMetricsServer } from "../../telemetry/metrics/metrics-server.ts";
import { observeProcess } from "../../telemetry/metrics/process-metrics.ts";
import { TARGET_METRICS } from "../../telemetry/metrics/target-info.ts";
import type { Observed } from "../context/chain-context.ts";

export interface MetricsOptions {
  values: PartValues;
  directory: Pick<DataDirectory, "path" | "temporary">;
  /** Of this program. */
  version: string;
  loggerFor: LoggerFor;
}

export interface NodeMetrics extends Observed {
  /** Of GET /metrics; undefined if it is not served. */
  readonly port: number | undefined;
  stop(): Promise<void>;
}

/** Milliseconds between two lines of the log about a part whose metrics fail. */
const MS_BETWEEN_FAILURES = 60_000;

/**
 * Opens the port of metrics and starts the exports to collectors, where they are configured. Rejects with a
 * MetricsPortError or ConfigurationError.
 */
export async function startMetrics(options: MetricsOptions): Promise<NodeMetrics> {
  const { values, loggerFor } = options;
  const log = loggerFor("telemetry");
  const teardown = new Teardown(log);
  let failedAt = Number.NEGATIVE_INFINITY;
  const metrics = new Metrics((error) => {
    if (performance.now() - failedAt < MS_BETWEEN_FAILURES) return;
    failedAt = performance.now();
    log.error({ err: error }, "some metrics could not be collected");
  });
  const resource = nodeResource(values, options);
  const { target } = TARGET_METRICS;
  // A label for each attribute that the operator gives.
  const row = { ...target, labels: { ...target.labels, ...Object.fromEntries(Object.keys(resource).map(anyValue)) } };
  metrics.observe((to) => to.set(row, 1, resource));
  teardown.add("metrics of the process", observeProcess(metrics));
  const exports = startOtlpExports({ values, resource, metrics, loggerFor });
  teardown.add("exports to collectors", () => exports.stop());
  const endpoints = new EndpointBook({ logger: loggerFor("endpoints") });
  teardown.add("probes of endpoints", async () => endpoints.close());
  observeEndpoints(metrics, endpoints);
  const accounts = new SampledAccounts();
  observeL1Accounts(metrics, accounts);
  const started = {
    sampleAccounts: (sending: SendingAccounts) => accounts.add(sending),
    ...{ metrics, slotEnded: exports.slotEnded },
    l1Calls: new L1CallCounts(),
    endpoints,
    stop: () => teardown.run(),
  };
  if (values.metrics.port === undefined) return { ...started, port: undefined };
  try {
    const { host, port: metricsPort } = values.metrics;
    const server = await startMetricsServer({ metrics, host, port: metricsPort });
    teardown.add("port of metrics", () => server.close());
    log.info({ host, port: server.port }, "serving metrics on http://{host}:{port}/metrics");
    return { ...started, port: server.port };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

const anyValue = (label: string) => [label, "any"] as const;
