import { promQl } from "../../../scripts/dashboards/grafana.ts";
import type { Panel } from "../../../scripts/dashboards/panel.ts";
import { DASHBOARDS } from "../../../scripts/dashboards/tables.ts";

export interface PanelQuery extends Pick<Panel, "needs"> {
  dashboard: string;
  panel: string;
  expression: string;
}

/** The queries of all panels as Grafana sends them, for all nodes and over `interval`. */
export function panelQueries(interval: string): PanelQuery[] {
  return DASHBOARDS.flatMap(({ title: dashboard, rows }) =>
    Object.values(rows)
      .flat()
      .flatMap(({ title: panel, needs, queries }) =>
        Object.values(queries).map((query) => ({
          ...{ dashboard, panel, needs },
          expression: promQl(query).replaceAll("$instance", ".*").replaceAll("$__rate_interval", interval),
        })),
      ),
  );
}
