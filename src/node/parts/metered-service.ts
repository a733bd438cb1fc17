import type { RunningService } from "../../process/supervise.ts";
import { type MetricsOptions, type NodeMetrics, startMetrics } from "./metrics.ts";

/** Starts a service with the exports of its metrics, which end with it. Rejects as startMetrics and `start` do. */
export async function startMetered(
  options: MetricsOptions,
  start: (metrics: NodeMetrics) => Promise<RunningService>,
): Promise<RunningService> {
  const exported = await startMetrics(options);
  try {
    const service = await start(exported);
    return { stop: () => service.stop().finally(() => exported.stop()) };
  } catch (error) {
    await exported.stop();
    throw error;
  }
}
