import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { delayOf } from "../../../src/node/prover/agent-settings.ts";
import { SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import type { JobResult } from "../../../src/prover/jobs/job-result.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";

const RESULT = {} as JobResult;

/** How long a simulated job of a type takes at least, in milliseconds. */
async function durationOf(type: keyof typeof JOB_TYPES, environment: Record<string, string>): Promise<number> {
  const { values } = configure({ flags: new Map(), environment });
  const prover = new SimulatedProver(() => RESULT, delayOf(partValues(values).agents.delay));
  const started = performance.now();
  const job = { type: JOB_TYPES[type] } as Parameters<SimulatedProver["prove"]>[0];
  expect(await prover.prove(job, new AbortController().signal)).toBe(RESULT);
  return performance.now() - started;
}

test("PROVER_TEST_DELAY_MS: a simulated job takes that long at least", async () => {
  // Timers may fire up to a millisecond early.
  expect(await durationOf("PARITY_BASE", { PROVER_TEST_DELAY_MS: "60" })).toBeGreaterThan(58);
});

test("PROVER_TEST_DELAY_TYPE and PROVER_TEST_DELAY_FACTOR: a job takes a part of what a real one of its type takes", async () => {
  const environment = { PROVER_TEST_DELAY_TYPE: "realistic", PROVER_TEST_DELAY_FACTOR: "0.001" };
  expect(await durationOf("PUBLIC_VM", environment)).toBeGreaterThan(178);
  expect(await durationOf("TX_MERGE_ROLLUP", environment)).toBeGreaterThan(8);
});

test("a job that is dropped ends at once, whatever the delay", async () => {
  const { values } = configure({ flags: new Map(), environment: { PROVER_TEST_DELAY_MS: "100000" } });
  const prover = new SimulatedProver(() => RESULT, delayOf(partValues(values).agents.delay));
  const dropped = new AbortController();
  const job = { type: JOB_TYPES.PARITY_BASE } as Parameters<SimulatedProver["prove"]>[0];
  const proven = prover.prove(job, dropped.signal);
  dropped.abort();
  await expect(proven).rejects.toThrow("aborted");
});
