import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { JOB_PRIORITY } from "../../src/prover/broker/job.ts";
import { JOB_TYPE_NAMES } from "../../src/prover/jobs/job-type.ts";
import { recordedJobs } from "../world/prover/recorded-jobs.ts";

/** Rows of the table in docs/protocol/13-proving.md#131-jobs. */
const rows = Array.from(
  readFileSync("docs/protocol/13-proving.md", "utf8").matchAll(/^\| (\d+) \| ([A-Z_]+) \| (\d*) \| (\d+) \|$/gm),
  ([, type, name, bytes, rank]) => ({ type: Number(type), name, bytes: Number(bytes), rank: Number(rank) }),
);

test("the chapter on proving has the types and their order", () => {
  expect(rows.map(({ name }) => name)).toEqual(JOB_TYPE_NAMES);
  const ranked = rows.toSorted((a, b) => a.rank - b.rank);
  expect(ranked.map(({ type }) => type)).toEqual(JOB_PRIORITY);
});

test("the chapter on proving has the lengths of public inputs", () => {
  const { binary, vm } = recordedJobs();
  const lengths = new Map(binary.map(({ type, output }) => [type, output.publicInputs.length]));
  for (const { type } of vm) lengths.set(type, 0);
  expect(rows.map(({ type, bytes }) => [type, bytes])).toEqual([...lengths].toSorted(([a], [b]) => a - b));
});
