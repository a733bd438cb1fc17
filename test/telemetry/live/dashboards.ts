/**
 * Runs the query of every panel of deploy/grafana against a Prometheus that scrapes validators, and names the blank
 * ones:
 *
 *   node test/telemetry/live/dashboards.ts --prometheus http://127.0.0.1:9090
 */

import { parseArgs } from "node:util";
import { panelQueries } from "../../world/telemetry/dashboard-queries.ts";

const { values } = parseArgs({ options: { prometheus: { type: "string", default: "http://127.0.0.1:9090" } } });
const queries = panelQueries("5m");
let blank = 0;
for (const { dashboard, panel, expression } of queries) {
  const response = await fetch(`${values.prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
  const { data, error } = (await response.json()) as { data?: { result: unknown[] }; error?: string };
  if (error === undefined && data?.result.length) continue;
  blank++;
  process.stdout.write(`${dashboard} / ${panel}: ${error ?? "blank"}\n  ${expression}\n`);
}
process.stdout.write(`${queries.length} queries, ${blank} blank\n`);
process.exitCode = blank === 0 ? 0 : 1;
