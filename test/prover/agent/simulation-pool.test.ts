import { afterEach, beforeEach, expect, test } from "vitest";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { SimulationPool, UnprovableInputError } from "../../../src/prover/agent/simulation-pool.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const { binary, vm } = recordedJobs();
let pool: SimulationPool;
beforeEach(() => {
  pool = new SimulationPool(V4, { threads: 2 });
});
afterEach(() => pool.close());

test("threads return the recorded output of every job and leave the input to the caller", async () => {
  const jobs = [...binary, ...vm];
  const results = await Promise.all(jobs.map((job) => pool.simulate(job)));
  for (const [i, { id, output, input }] of jobs.entries()) {
    const same =
      output instanceof Uint8Array
        ? Buffer.compare(results[i] as Uint8Array, output) === 0
        : Object.entries(output).every(
            ([part, bytes]) => Buffer.compare((results[i] as typeof output)[part as keyof typeof output], bytes) === 0,
          );
    expect(same, id).toBe(true);
    expect(input.length > 0, id).toBe(!id.includes("PADDING"));
  }
});

test("an input that cannot be proven is told apart from a failing thread", async () => {
  const [{ type, input }] = binary;
  const failure = pool.simulate({ type, input: input.subarray(1) });
  await expect(failure).rejects.toBeInstanceOf(UnprovableInputError);
  await expect(failure).rejects.toThrow("input");
});
