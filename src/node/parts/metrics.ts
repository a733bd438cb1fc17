import type { Values } from "../../config/options.ts";
import { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import { Metrics } from "../../telemetry/metrics/metrics.ts";
import { startMetricsServer } from "../../telemetry/metrics/metrics-server.ts";
import { observeProcess } from "../../telemetry/metrics/process-metrics.ts";
import { type Resource, TARGET_METRICS } from "../../telemetry/metrics/target-info.ts";
import type { DataDirectory } from "../data-directory.ts";
import { instanceId } from "../instance-id.ts";
import type { LoggerFor } from "../logging.ts";
import { Teardown } from "../teardown.ts";

export type MetricsSettings = Pick<
  Values,
  "metricsPort" | "metricsHost" | "sequencer" | "node" | "registryAddress" | "rollupVersion"
>;

export interface MetricsOptions {
  values: MetricsSettings;
  directory: Pick<DataDirectory, "path" | "temporary">;
  /** Of this program. */
  version: string;
  loggerFor: LoggerFor;
}

/** What parts of a node count in and are observed by. */
export interface NodeMetrics {
  readonly metrics: Metrics;
  readonly l1Calls: L1CallCounts;
  /** Whether somebody may read the metrics. */
  readonly exportsMetrics: boolean;
  /** Of GET /metrics; undefined if it is not served. */
  readonly port: number | undefined;
  stop(): Promise<void>;
}

/** Milliseconds between two lines of the log about a part whose metrics fail. */
const MS_BETWEEN_FAILURES = 60_000;

/** Opens the port of metrics, where one is configured. Rejects with a MetricsPortError. */
export async function startMetrics(options: MetricsOptions): Promise<NodeMetrics> {
  const { values, loggerFor } = options;
  const log = loggerFor("telemetry");
  const teardown = new Teardown(log);
  let failedAt = Number.NEGATIVE_INFINITY;
  const metrics = new Metrics((error) => {
    if (performance.now() - failedAt < MS_BETWEEN_FAILURES) return;
    failedAt = performance.now();
    log.error({ error }, "some metrics could not be collected");
  });
  const resource = nodeResource(options);
  metrics.observe((to) => to.set(TARGET_METRICS.target, 1, resource));
  const exportsMetrics = values.metricsPort !== undefined;
  const started = { metrics, l1Calls: new L1CallCounts(), exportsMetrics, stop: () => teardown.run() };
  teardown.add("metrics of the process", observeProcess(metrics));
  if (values.metricsPort === undefined) return { ...started, port: undefined };
  try {
    const { metricsHost: host, metricsPort } = values;
    const server = await startMetricsServer({ metrics, host, port: metricsPort });
    teardown.add("port of metrics", () => server.close());
    log.info({ host, port: server.port }, "serving metrics on http://{host}:{port}/metrics");
    return { ...started, port: server.port };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}

/** As the release describes itself. */
function nodeResource({ values, directory, version }: MetricsOptions): Resource {
  const { sequencer, registryAddress, rollupVersion } = values;
  const role = sequencer ? "sequencer" : "node";
  return {
    "service.name": `aztec-${role}`,
    "service.version": version,
    "service.instance.id": instanceId(directory),
    "aztec.node_role": role,
    "aztec.rollup_version": rollupVersion === undefined ? "canonical" : String(rollupVersion),
    ...(registryAddress !== undefined && { "aztec.registry_address": registryAddress }),
  };
}
