import { setTimeout as sleep } from "node:timers/promises";
import type { CircuitContext } from "../circuits/circuit-context.ts";
import { simulate } from "../circuits/simulate.ts";
import type { JobResult, StoredInput } from "../jobs/job-result.ts";
import { type JobTypeName, nameOfJobType } from "../jobs/job-type.ts";
import type { Prover } from "./prover.ts";

/** How long simulated jobs take at least. */
export type SimulatedDelay =
  | { readonly kind: "fixed"; readonly ms: number }
  | { readonly kind: "realistic"; readonly factor: number };

/** Witness and proof on the machine on which the reference implementation was measured, in milliseconds. */
const MEASURED_MS: Record<JobTypeName, number> = {
  PUBLIC_VM: 180_000,
  PUBLIC_CHONK_VERIFIER: 16_360,
  PRIVATE_TX_BASE_ROLLUP: 24_500,
  PUBLIC_TX_BASE_ROLLUP: 47_000,
  TX_MERGE_ROLLUP: 10_025,
  BLOCK_ROOT_FIRST_ROLLUP: 17_445,
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: 9_227,
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: 4_518,
  BLOCK_ROOT_ROLLUP: 75_000,
  BLOCK_ROOT_SINGLE_TX_ROLLUP: 35_000,
  BLOCK_MERGE_ROLLUP: 15_030,
  CHECKPOINT_ROOT_ROLLUP: 75_000,
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: 73_100,
  CHECKPOINT_PADDING_ROLLUP: 0,
  CHECKPOINT_MERGE_ROLLUP: 10_230,
  ROOT_ROLLUP: 93_035,
  PARITY_BASE: 16_900,
  PARITY_ROOT: 18_640,
};

/** Computes the output of a job. */
export type Simulate = (job: StoredInput) => JobResult | Promise<JobResult>;

/** Computes outputs without circuits, for networks without proofs. */
export class SimulatedProver implements Prover {
  readonly #simulate: Simulate;
  readonly #delay: SimulatedDelay;

  constructor(simulate: Simulate, delay: SimulatedDelay) {
    this.#simulate = simulate;
    this.#delay = delay;
  }

  async prove(job: StoredInput, signal: AbortSignal): Promise<JobResult> {
    const start = performance.now();
    const result = await this.#simulate(job);
    const minMs =
      this.#delay.kind === "fixed" ? this.#delay.ms : this.#delay.factor * MEASURED_MS[nameOfJobType(job.type)];
    const leftMs = minMs - (performance.now() - start);
    if (leftMs > 0) await sleep(leftMs, undefined, { signal });
    return result;
  }
}

/** Simulates in the caller's thread, which a job occupies for some milliseconds. */
export function inThisThread(context: CircuitContext): Simulate {
  return (job) => simulate(context, job);
}
