import { expect, test } from "vitest";
import { collectSuites } from "../../../bench/lib/collect-suites.ts";
import type { Run, SuiteResult } from "../../../bench/lib/measurement.ts";
import { resultDocument } from "../../../bench/lib/result-table.ts";

function runOf(suite: Partial<SuiteResult>, change: Partial<Run> = {}): Run {
  return {
    startedAt: "2026-01-02T03:04:05.000Z",
    seconds: 61,
    quick: false,
    withReference: true,
    machine: {
      ...{ cpu: "a processor", cores: 2, memoryGiB: 8, kernel: "6.1", node: "v22.23.3", commit: "abc" },
      ...{ loadBefore: [0.1, 0.2, 0.3], busyBefore: 0.01 },
    },
    warnings: [],
    failures: {},
    suites: { one: { measurements: [], seconds: 1, ...suite } },
    ...change,
  };
}

/** Cells of the first line that contains both texts. */
function cells(document: string, what: string, against: string): string[] {
  const line = document.split("\n").find((text) => text.includes(`| ${what}`) && text.includes(against));
  return (line ?? "")
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const WITNESS = "low-nullifier witness, latest block";

test("the target of a rate is compared with the median of the pairs' ratios", () => {
  const comparison = {
    kind: "comparison",
    row: "nullifier-witness",
    peer: "reference",
    unit: "/s",
    better: "more",
  } as const;
  const pairs = [
    { ours: 4100, theirs: 100 },
    { ours: 3000, theirs: 100 },
    { ours: 9000, theirs: 200 },
  ];
  const document = resultDocument(runOf({ measurements: [{ ...comparison, pairs }] }));
  expect(cells(document, WITNESS, "reference node").slice(1)).toEqual([
    ...["4,100/s", "reference node", "100/s", "41 (30..45)", ">= 40 times", "yes"],
  ]);
  const slower = pairs.map(({ ours, theirs }) => ({ ours, theirs: theirs * 1.1 }));
  const missed = resultDocument(runOf({ measurements: [{ ...comparison, pairs: slower }] }));
  expect(cells(missed, WITNESS, "reference node").at(-1)).toBe("no");
});

test("the ratio of times says how many times as fast we are", () => {
  const pairs = [{ ours: 2, theirs: 12 }];
  const document = resultDocument(
    runOf({
      measurements: [{ kind: "comparison", row: "initial-sync", peer: "reference", unit: "s", better: "less", pairs }],
    }),
  );
  expect(cells(document, "initial sync", "reference node").slice(1)).toEqual([
    ...["2 s", "reference node", "12 s", "6 (6..6)", ">= 5 times", "yes"],
  ]);
});

test("the ratio of sizes with an upper bound is our size divided by the other", () => {
  const comparison = { kind: "comparison", row: "memory", peer: "reference", unit: "MiB", better: "less" } as const;
  const document = (ours: number) =>
    resultDocument(runOf({ measurements: [{ ...comparison, pairs: [{ ours, theirs: 400 }] }] }));
  expect(cells(document(100), "memory", "reference node").slice(4)).toEqual([
    "0.25 (0.25..0.25)",
    "<= 0.5 times",
    "yes",
  ]);
  expect(cells(document(300), "memory", "reference node").at(-1)).toBe("no");
});

test("a figure without a comparison is compared with its bound", () => {
  const document = resultDocument(
    runOf({
      measurements: [
        { kind: "figure", row: "nullifier-witness", name: "p99 at 32 connections", unit: "ms", values: [6, 4, 3] },
      ],
    }),
  );
  expect(cells(document, WITNESS, "p99").slice(1)).toEqual(["4 ms (3..6)", "", "", "", "<= 5 ms", "yes"]);
});

test("targets without a measurement say what is missing", () => {
  const alone = resultDocument(runOf({}, { withReference: false }));
  expect(cells(alone, "initial sync", "reference node").at(-1)).toBe("needs the reference");
  expect(cells(alone, "getBlockNumber", "echo").at(-1)).toBe("not measured");
});

test("a result document begins with warnings, failures and whether the run was quick", () => {
  const [head] = resultDocument(
    runOf({}, { quick: true, warnings: ["the machine is not idle"], failures: { rpc: "Error: no port\n  at x" } }),
  ).split("\n\n");
  expect(head).toContain("QUICK");
  expect(head).toContain("- warning: the machine is not idle");
  expect(head).toContain("- suite rpc failed: Error: no port");
});

test("a suite that is measured again replaces its earlier result and keeps the others", () => {
  const measured = (value: number): Partial<SuiteResult> => ({
    measurements: [{ kind: "figure", row: "growth", name: "a figure", unit: "ms", values: [value] }],
  });
  const earlier = runOf(
    {},
    { suites: { one: { ...measured(1), seconds: 1 } as never, two: { ...measured(2), seconds: 1 } as never } },
  );
  const later = runOf(measured(3), { startedAt: "2026-02-03T04:05:06.000Z", failures: { two: "Error: no port" } });
  const collected = collectSuites(collectSuites(undefined, earlier), later);
  expect(collected.suites.one).toMatchObject({ ...measured(3), origin: { startedAt: later.startedAt } });
  expect(collected.suites.two).toMatchObject({ ...measured(2), origin: { startedAt: earlier.startedAt } });
  const document = resultDocument(collected);
  expect(document).toContain("| one | abc | 2026-02-03 04:05 |");
  expect(document).toContain("| two | abc | 2026-01-02 03:04 |");
  expect(document).toContain("- suite two failed: Error: no port");
  expect(collectSuites(collected, runOf(measured(4), { suites: { two: earlier.suites.two } })).failures).toEqual({});
});

test("a suite measured without the reference does not replace one measured beside it", () => {
  const beside = collectSuites(undefined, runOf({}));
  const alone = runOf({}, { startedAt: "2026-02-03T04:05:06.000Z", withReference: false });
  expect(collectSuites(beside, alone).suites.one.origin?.withReference).toBe(true);
  expect(collectSuites(collectSuites(undefined, alone), runOf({})).suites.one.origin?.withReference).toBe(true);
});
