import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decadeTicks, linearTicks, linePlot } from "../../../bench/lib/line-plot.ts";
import { plotsOf } from "../../../bench/lib/plots.ts";

const RESULTS = join(import.meta.dirname, "../../../bench/results");

test.each([
  ["20261122-0109-6475a84d3455", "before the reads of the store were measured by themselves"],
  ["20261122-1956-66dd55db1627", "with them"],
])("a kept run gives its plots again: %s, %s", (name) => {
  const plots = plotsOf(JSON.parse(readFileSync(join(RESULTS, name, "run.json"), "utf8")));
  expect(Object.keys(plots)).toEqual(["growth-witness.svg", "growth-insertion.svg", "latencies.svg"]);
  for (const [file, svg] of Object.entries(plots)) expect(svg).toBe(readFileSync(join(RESULTS, name, file), "utf8"));
});

test("the ticks of an axis are round numbers and enclose the values", () => {
  expect(linearTicks(73).map(({ at }) => at)).toEqual([0, 20, 40, 60, 80]);
  expect(linearTicks(0.5).map(({ at }) => Number(at.toFixed(6)))).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5]);
  expect(decadeTicks([10_000, 10_000_000], String).map(({ at }) => at)).toEqual([1e4, 1e5, 1e6, 1e7]);
  expect(decadeTicks([0.3, 7], String).map(({ at }) => at)).toEqual([0.1, 1, 10]);
});

test("a logarithmic axis gives equal factors equal distances, and names are escaped", () => {
  const svg = linePlot({
    title: "a & b",
    x: { label: "x", scale: "log", ticks: decadeTicks([1, 100], String) },
    y: { label: "y", scale: "linear", ticks: linearTicks(10) },
    series: [
      {
        name: "<one>",
        points: [
          { x: 1, y: 0 },
          { x: 10, y: 5, low: 4, high: 6 },
          { x: 100, y: 10 },
        ],
      },
    ],
  });
  const points =
    /<polyline points="([^"]*)"/
      .exec(svg)?.[1]
      .split(" ")
      .map((point) => point.split(",").map(Number)) ?? [];
  expect(points).toHaveLength(3);
  expect(points[1][0]).toBeCloseTo((points[0][0] + points[2][0]) / 2, 0);
  expect(points[1][1]).toBeCloseTo((points[0][1] + points[2][1]) / 2, 0);
  expect(svg).toContain("a &amp; b");
  expect(svg).toContain("&lt;one&gt;");
  expect(svg).not.toMatch(/NaN|undefined/);
});
