import type { MachineFacts } from "./machine.ts";
import type { Comparison, Figure, ResultTable, Run, Unit } from "./measurement.ts";
import { numberText, spreadText, withUnit } from "./number-text.ts";
import { median, spreadOf } from "./statistics.ts";
import { type FigureTarget, PEERS, type RatioTarget, ROWS, type RowId, TARGETS } from "./targets.ts";

interface Line {
  what: string;
  ours: string;
  against: string;
  theirs: string;
  ratio: string;
  target: string;
  reached: string;
}

const HEADINGS: Record<keyof Line, string> = {
  what: "what",
  ours: "ours",
  against: "against",
  theirs: "theirs",
  ratio: "ratio (min..max of pairs)",
  target: "target",
  reached: "reached",
};
const COLUMNS = Object.keys(HEADINGS) as (keyof Line)[];

/** How many times as good ours is; for a target with an upper bound, how many times as large. */
function ratios({ pairs, better }: Comparison, target: RatioTarget | undefined): number[] {
  const turned = better === "less" && target?.atMost === undefined;
  return pairs.map(({ ours, theirs }) => (turned ? theirs / ours : ours / theirs));
}

function targetText(target: RatioTarget | FigureTarget, unit: Unit | undefined): string {
  if ("figure" in target) return unit === undefined ? `<= ${target.atMost}` : `<= ${withUnit(target.atMost, unit)}`;
  return target.atLeast === undefined ? `<= ${target.atMost} times` : `>= ${target.atLeast} times`;
}

function comparisonLine(found: Comparison, target: RatioTarget | undefined): Line {
  const spread = spreadOf(ratios(found, target));
  const side = (of: "ours" | "theirs") => withUnit(median(found.pairs.map((pair) => pair[of])), found.unit);
  const met = spread.median >= (target?.atLeast ?? 0) && spread.median <= (target?.atMost ?? Number.POSITIVE_INFINITY);
  return {
    what: ROWS[found.row],
    ours: side("ours"),
    against: PEERS[found.peer],
    theirs: side("theirs"),
    ratio: spreadText(spread),
    target: target === undefined ? "" : targetText(target, undefined),
    reached: target === undefined ? "" : met ? "yes" : "no",
  };
}

function figureLine(found: Figure, target: FigureTarget | undefined): Line {
  const spread = spreadOf(found.values);
  return {
    what: `${ROWS[found.row]}: ${found.name}`,
    ours:
      found.values.length > 1
        ? spreadText(spread, found.unit === "/s" ? "/s" : ` ${found.unit}`)
        : withUnit(spread.median, found.unit),
    against: "",
    theirs: "",
    ratio: "",
    target: target === undefined ? "" : targetText(target, found.unit),
    reached: target === undefined ? "" : spread.median <= target.atMost ? "yes" : "no",
  };
}

function missingLine(target: RatioTarget | FigureTarget, withReference: boolean): Line {
  const peer = "peer" in target ? PEERS[target.peer] : "";
  const needed = "peer" in target && target.peer !== "echo" && !withReference;
  return {
    what: "figure" in target ? `${ROWS[target.row]}: ${target.figure}` : ROWS[target.row],
    ours: "",
    against: peer,
    theirs: "",
    ratio: "",
    target: targetText(target, undefined),
    reached: needed ? "needs the reference" : "not measured",
  };
}

const isFor = (target: RatioTarget | FigureTarget, found: Comparison | Figure): boolean =>
  target.row === found.row &&
  ("figure" in target
    ? found.kind === "figure" && found.name === target.figure
    : found.kind === "comparison" && found.peer === target.peer);

function lines(run: Run): Line[] {
  const all = Object.values(run.suites).flatMap(({ measurements }) => measurements);
  const ofRow = (row: RowId): Line[] => {
    const targets = TARGETS.filter((target) => target.row === row);
    const found = all.filter((measurement) => measurement.row === row);
    const measured = found.map((measurement) => {
      const target = targets.find((one) => isFor(one, measurement));
      return measurement.kind === "comparison"
        ? comparisonLine(measurement, target as RatioTarget | undefined)
        : figureLine(measurement, target as FigureTarget | undefined);
    });
    const missing = targets.filter((target) => !found.some((measurement) => isFor(target, measurement)));
    return [...measured, ...missing.map((target) => missingLine(target, run.withReference))];
  };
  return (Object.keys(ROWS) as RowId[]).flatMap(ofRow);
}

function table(rows: Line[]): string {
  const width = (column: keyof Line) => Math.max(...[HEADINGS, ...rows].map((row) => row[column].length));
  const widths = COLUMNS.map(width);
  const text = (row: Record<keyof Line, string>) =>
    `| ${COLUMNS.map((column, i) => row[column].padEnd(widths[i])).join(" | ")} |`;
  return [text(HEADINGS), `|${widths.map((w) => "-".repeat(w + 2)).join("|")}|`, ...rows.map(text)].join("\n");
}

/** A table with one column per key of the rows. */
function furtherTable({ title, rows }: ResultTable): string {
  const shown = (value: unknown) => typeof value === "number" || typeof value === "string";
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((key) => shown(row[key]))))];
  const text = (value: unknown) => (typeof value === "number" ? numberText(value) : shown(value) ? String(value) : "");
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) => line(columns.map((column) => text(row[column]))));
  return [`${title}:`, "", line(columns), line(columns.map(() => "---")), ...body].join("\n");
}

const busyText = ({ busyBefore }: MachineFacts) => `${Math.round(busyBefore * 100)} %`;

function machineText(run: Run): string[] {
  const { machine, startedAt, seconds, quick } = run;
  const { cpu, cores, memoryGiB, kernel, node, commit, loadBefore } = machine;
  return [
    `- ${cpu}, ${cores} cores, ${memoryGiB} GiB; Linux ${kernel}; Node.js ${node}`,
    `- commit ${commit}, ${startedAt}, ${Math.round(seconds)} s${quick ? "; QUICK: sizes and loads are too small to mean anything" : ""}`,
    `- before the run: load average ${loadBefore.join(", ")}, ${busyText(machine)} of the processors in use by others`,
  ];
}

/** A row for each suite, where suites of several runs were collected. */
function originTable({ suites }: Run): string {
  const rows = Object.entries(suites).flatMap(([suite, { origin, seconds }]) => {
    if (origin === undefined) return [];
    const { startedAt, withReference, machine } = origin;
    const { cpu, commit } = machine;
    const measured = startedAt.slice(0, 16).replace("T", " ");
    const reference = withReference ? "yes" : "no";
    return [
      { suite, commit, measured, seconds, "beside the reference": reference, cpu, "used by others": busyText(machine) },
    ];
  });
  return rows.length === 0 ? "" : furtherTable({ title: "suites", rows });
}

function notes(run: Run): string[] {
  const said = Object.values(run.suites).flatMap((suite) => [
    ...(suite.notes ?? []),
    ...suite.measurements.flatMap((found) =>
      found.note === undefined
        ? []
        : [
            `${ROWS[found.row]}${found.kind === "comparison" ? `, against ${PEERS[found.peer]}` : `, ${found.name}`}: ${found.note}`,
          ],
    ),
  ]);
  return [...new Set(said)].map((note) => `- ${note}`);
}

/** The run as Markdown: machine facts, the table, notes. */
export function resultDocument(run: Run): string {
  const failures = Object.entries(run.failures).map(
    ([suite, reason]) => `- suite ${suite} failed: ${reason.split("\n")[0]}`,
  );
  const warnings = run.warnings.map((warning) => `- warning: ${warning}`);
  const further = Object.values(run.suites).flatMap(({ tables = [] }) => tables.map(furtherTable));
  const isCollected = Object.values(run.suites).some(({ origin }) => origin !== undefined);
  const head = [...(isCollected ? [] : machineText(run)), ...warnings, ...failures].join("\n");
  const parts = [head, originTable(run), table(lines(run)), notes(run).join("\n"), ...further];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
