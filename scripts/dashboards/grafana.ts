import type { Dashboard, Panel } from "./panel.ts";

/** Matches the nodes that are chosen at the top of a dashboard. */
const CHOSEN = 'job="svc",instance=~"$instance"';
const SOURCE = { type: "prometheus", uid: "svc-prometheus" };
const GRID_COLUMNS = 24;
const SIZES = { lines: { w: 8, h: 8 }, number: { w: 4, h: 4 } } as const;

/** A query as Grafana sends it, with its own variables left in. */
export function promQl(query: string): string {
  return query.replaceAll("$of", CHOSEN);
}

/** A dashboard in Grafana's JSON form (schema 39, Grafana 10 and later). */
export function grafanaDashboard({ id, title, rows }: Dashboard): object {
  const panels: object[] = [];
  let y = 0;
  for (const [name, row] of Object.entries(rows)) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title: name,
      collapsed: false,
      gridPos: { x: 0, y, w: 24, h: 1 },
    });
    y++;
    let x = 0;
    let height = 0;
    for (const panel of row) {
      const { w, h } = SIZES[panel.kind];
      if (x + w > GRID_COLUMNS) {
        y += height;
        [x, height] = [0, 0];
      }
      panels.push(grafanaPanel(panel, panels.length + 1, { x, y, w, h }));
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return {
    uid: id,
    title,
    tags: ["svc"],
    schemaVersion: 39,
    editable: true,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    templating: {
      list: [
        {
          name: "instance",
          label: "node",
          type: "query",
          datasource: SOURCE,
          query: { query: 'label_values(up{job="svc"}, instance)', refId: "instances" },
          refresh: 2,
          multi: true,
          includeAll: true,
          allValue: ".*",
          current: { text: "All", value: "$__all" },
        },
      ],
    },
    panels,
  };
}

function grafanaPanel({ title, meaning, kind, unit, queries }: Panel, id: number, gridPos: object): object {
  return {
    id,
    type: kind === "lines" ? "timeseries" : "stat",
    title,
    description: meaning,
    datasource: SOURCE,
    gridPos,
    fieldConfig: { defaults: { unit }, overrides: [] },
    ...(kind === "lines" && { options: { legend: { displayMode: "list" }, tooltip: { mode: "multi", sort: "desc" } } }),
    targets: Object.entries(queries).map(([legendFormat, query], i) => ({
      refId: String.fromCharCode(65 + i),
      datasource: SOURCE,
      expr: promQl(query),
      legendFormat,
      ...(kind === "number" && { instant: true }),
    })),
  };
}
