import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { JOB_PRIORITY } from "../../src/prover/broker/job.ts";
import { outputFault } from "../../src/prover/broker/output-fault.ts";
import { JOB_TYPE_NAMES, nameOfJobType } from "../../src/prover/jobs/job-type.ts";

/** Rows of the table in docs/protocol/13-proving.md#131-jobs. */
const rows = Array.from(
  readFileSync("docs/protocol/13-proving.md", "utf8").matchAll(/^\| (\d+) \| ([A-Z_]+) \| (\d*) \| (\d+) \|$/gm),
  ([, type, name, bytes, rank]) => ({ type: Number(type), name, bytes: Number(bytes), rank: Number(rank) }),
);

it("the chapter on proving has the types and their order", () => {
  expect(rows.map(({ name }) => name)).toEqual(JOB_TYPE_NAMES);
  const ranked = rows.toSorted((a, b) => a.rank - b.rank);
  expect(ranked.map(({ type }) => type)).toEqual(JOB_PRIORITY);
});

it("the chapter on proving has the lengths of public inputs that a broker checks", () => {
  const faults = rows.map(({ type, bytes }) => {
    const output = (length: number) => {
      const text = Buffer.alloc(length).toString("base64");
      const result =
        nameOfJobType(type as never) === "PUBLIC_VM" ? text : { inputs: text, proof: "", verificationKey: "" };
      const uri = `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify({ type, result }))}`;
      return outputFault({ id: "", type }, Buffer.from(JSON.stringify(uri)));
    };
    return [output(bytes), output(bytes + 1)];
  });
  const wrong = (type: number, bytes: number) => `result.inputs: has ${bytes + 1} bytes, type ${type} has ${bytes}`;
  const expected = rows.map(({ type, bytes }) => [undefined, type === 0 ? undefined : wrong(type, bytes)]);
  expect(faults).toEqual(expected);
});
