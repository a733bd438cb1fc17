import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { VmPublicInputs } from "../../../src/prover/circuits/layouts/vm-public-inputs.ts";
import { simulateJob, simulateVm } from "../../../src/prover/circuits/simulate.ts";
import { decode, encode } from "../../../src/prover/codec/codec.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { inputForm } from "../../../src/prover/jobs/job-input.ts";
import { decodeOutput, encodeOutput } from "../../../src/prover/jobs/job-output.ts";
import { JOB_TYPE_NAMES, nameOfJobType } from "../../../src/prover/jobs/job-type.ts";
import { decodeVmInput, encodeVmInput } from "../../../src/prover/jobs/vm-input.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const { binary, vm } = recordedJobs();
const core = loadCore();

/** Faster than a deep comparison, and the failure report stays short. */
const expectBytes = (actual: Uint8Array, expected: Uint8Array) =>
  expect(Buffer.compare(actual, expected), `${actual.length} and ${expected.length} bytes`).toBe(0);

test("jobs recorded from the reference implementation are of every type", () => {
  expect(new Set([...binary, ...vm].map(({ type }) => nameOfJobType(type)))).toEqual(new Set(JOB_TYPE_NAMES));
});

test.each([...binary, ...vm])(
  "jobs recorded from the reference implementation have an id that follows from the input: $id",
  ({ id, epoch, type, input }) => {
    expect(jobIdOf(epoch, type, input)).toBe(id);
  },
);

test.each(binary)(
  "jobs recorded from the reference implementation are encoded as they were decoded: $id",
  ({ name, input, output }) => {
    const codec = inputForm(V4, name);
    expectBytes(encode(codec as never, decode(codec as never, name, input) as never), input);
    const again = encodeOutput(V4, name, decodeOutput(V4, name, output));
    for (const part of ["publicInputs", "proof", "verificationKey"] as const) expectBytes(again[part], output[part]);
  },
);

test.each(vm)(
  "jobs recorded from the reference implementation of the public VM are written as they were read, with the inputs of the next job: $id",
  ({ input }) => {
    const decoded = decodeVmInput(V4, input);
    expectBytes(encodeVmInput(V4, decoded), input);
    const publicInputs = Buffer.from(encode(VmPublicInputs, decoded.publicInputs));
    const bases = binary.filter(({ name }) => name === "PUBLIC_TX_BASE_ROLLUP");
    expect(bases.some((base) => Buffer.from(base.input).includes(publicInputs))).toBe(true);
  },
);

test("jobs recorded from the reference implementation of the public VM are refused with field and rule when they are malformed", () => {
  const text = Buffer.from(vm[0].input).toString();
  const read = (changed: string) => () => decodeVmInput(V4, Buffer.from(changed));
  expect(read("{")).toThrow("PUBLIC_VM input: must be JSON (1 characters)");
  expect(read(text.replace('"hints":{', '"hints":{"more":1,'))).toThrow(
    "PUBLIC_VM input.hints: must not have the member more",
  );
  expect(read(text.replace('"timestamp":"', '"timestamp":"-'))).toThrow(
    "PUBLIC_VM input.hints.globalVariables.timestamp: must be decimal digits",
  );
});

test.each(binary)(
  "jobs recorded from the reference implementation have an output that follows from the input: $id",
  ({ name, input, output }) => {
    const simulated = simulateJob({ core, generation: V4 }, name, input);
    for (const part of ["publicInputs", "proof", "verificationKey"] as const) {
      expectBytes(simulated[part], output[part]);
    }
  },
);

test("jobs recorded from the reference implementation have one output for all transactions of the public VM", () => {
  for (const { output } of vm) expectBytes(simulateVm(V4), output);
});
