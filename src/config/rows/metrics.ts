import { text } from "../kinds/kinds.ts";
import { port } from "../kinds/number-kinds.ts";
import { rowsOf } from "../kinds/option.ts";

const rows = rowsOf("Metrics", "metrics");

export const metrics = {
  metricsPort: rows.optional({
    flags: ["--metrics-port"],
    env: ["SVC_METRICS_PORT"],
    kind: port,
    to: ["metrics.port"],
    meaning: "port of GET /metrics for Prometheus, 0 for any free one; unset opens none",
  }),
  metricsHost: rows.withDefault(
    {
      flags: ["--metrics-host"],
      env: ["SVC_METRICS_HOST"],
      kind: text,
      to: ["metrics.host"],
      meaning: "address that the port of metrics binds to",
    },
    "127.0.0.1",
  ),
};
