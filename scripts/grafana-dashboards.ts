/**
 * Writes deploy/grafana/dashboards from the tables in scripts/dashboards. With --check only compares, and fails when a
 * file is not current.
 */

import { grafanaDashboard } from "./dashboards/grafana.ts";
import { DASHBOARDS } from "./dashboards/tables.ts";
import { generatedDocument } from "./generated-document.ts";

for (const dashboard of DASHBOARDS) {
  const text = `${JSON.stringify(grafanaDashboard(dashboard), undefined, 2)}\n`;
  generatedDocument(`../deploy/grafana/dashboards/${dashboard.id}.json`, text, "scripts/dashboards");
}
