import type { NodeStatus } from "./control.ts";

type Column = readonly [title: string, value: (node: NodeStatus) => string];

const port = (url: string | undefined): string => (url === undefined ? "-" : new URL(url).port);

const COLUMNS: readonly Column[] = [
  ["name", ({ name }) => name],
  ["role", ({ role }) => role],
  ["state", ({ state, endedWith }) => (endedWith === undefined ? state : `${state} (${endedWith})`)],
  ["pid", ({ pid }) => String(pid ?? "-")],
  ["block", ({ block }) => String(block ?? "-")],
  ["RPC", ({ rpc }) => rpc ?? "-"],
  ["admin", ({ admin }) => port(admin)],
  ["metrics", ({ metrics }) => port(metrics)],
  ["page", ({ page }) => page ?? "-"],
];

/** The nodes of a network as a table of text. */
export function nodeTable(nodes: readonly NodeStatus[]): string {
  const rows = [COLUMNS.map(([title]) => title), ...nodes.map((node) => COLUMNS.map(([, value]) => value(node)))];
  const widths = COLUMNS.map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  return rows
    .map(
      (row) =>
        `${row
          .map((text, i) => text.padEnd(widths[i]))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
