import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { CIRCUITS } from "../../../src/prover/circuits/circuits.ts";
import { type Codec, decode, fieldsOf } from "../../../src/prover/codec/codec.ts";
import { inputForm } from "../../../src/prover/jobs/job-input.ts";
import { decodeOutput, outputForm } from "../../../src/prover/jobs/job-output.ts";
import { packagedAcvm } from "../../../src/prover/real/acvm-module.ts";
import { readCircuit } from "../../../src/prover/real/published-circuit.ts";
import { jobsWithCircuit, releasedKeyOf, writeCircuits } from "../../world/prover/recorded-circuits.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

type Witness = Map<number, string>;
interface Acvm {
  executeProgram(program: Uint8Array, inputs: Witness, onCall: () => Promise<never[]>): Promise<{ witness: Witness }[]>;
  getReturnWitness(program: Uint8Array, witness: Witness): Witness;
}

const folder = mkdtempSync(join(tmpdir(), "circuit-forms-"));
writeCircuits(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const acvmPath = packagedAcvm();
if (acvmPath === undefined) throw new Error("the package @aztec/noir-acvm_js is not installed");
const acvm = createRequire(import.meta.url)(acvmPath) as Acvm;
const core = loadCore();

test("the form in which circuits take recorded jobs is known of circuits of every kind", () => {
  expect(new Set(jobsWithCircuit.map(({ name }) => name)).size).toBe(12);
});

test.each(jobsWithCircuit)(
  "the form in which circuits take recorded jobs makes the published circuit return the recorded output: $id",
  async (job) => {
    const { bytecode, inputFields, outputFields } = await readCircuit(folder, job.name, releasedKeyOf(job.name).hash);
    const input = inputForm(V4, job.name) as Codec<unknown>;
    const inputs = fieldsOf(input, decode(input, job.name, job.input));
    expect(inputs.length).toBe(inputFields * 32);
    const wires: Witness = new Map();
    for (let i = 0; i < inputFields; i++) wires.set(i, toHex(inputs.subarray(i * 32, i * 32 + 32)));
    const [{ witness }] = await acvm.executeProgram(bytecode, wires, async () => []);
    const returned = [...acvm.getReturnWitness(bytecode, witness).values()].map((value) => value.slice(2)).join("");
    const { publicInputs } = decodeOutput(V4, job.name, job.output);
    const expected = Buffer.from(
      fieldsOf(outputForm(V4, job.name).publicInputs as Codec<unknown>, publicInputs),
    ).toString("hex");
    expect(expected.length).toBe(outputFields * 64);
    expect(returned === expected, "the returned values are the recorded ones").toBe(true);
  },
);

/** Field elements that the ABI of each published circuit takes and returns. */
test.each([
  ["PARITY_BASE", 257, 3],
  ["PRIVATE_TX_BASE_ROLLUP", 9626, 52],
  ["PUBLIC_TX_BASE_ROLLUP", 27_901, 52],
  ["CHECKPOINT_ROOT_ROLLUP", 26_110, 149],
  ["CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP", 25_411, 149],
] as const)(
  "the form in which circuits take recorded jobs has the width of the larger circuit %s",
  (type, inputFields, outputFields) => {
    const job = recordedJobs().binary.find(({ name }) => name === type);
    if (job === undefined) throw new Error(`no recorded job of type ${type}`);
    const input = decode(inputForm(V4, type) as never, type, job.input);
    expect(fieldsOf(inputForm(V4, type) as Codec<unknown>, input).length).toBe(inputFields * 32);
    const output = CIRCUITS[type]({ core, generation: V4 }, input as never);
    expect(fieldsOf(outputForm(V4, type).publicInputs as Codec<unknown>, output).length).toBe(outputFields * 32);
  },
);
