import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../../core/core.ts";
import { simulateJob, simulateVm } from "../circuits/simulate.ts";
import { binaryTypeOf, type JobResult, type StoredInput } from "../jobs/job-result.ts";
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

/** Computes outputs without circuits, for networks without proofs. */
export class SimulatedProver implements Prover {
  readonly #core: Core;
  readonly #delay: SimulatedDelay;

  constructor(core: Core, delay: SimulatedDelay) {
    this.#core = core;
    this.#delay = delay;
  }

  async prove({ type, input }: StoredInput, signal: AbortSignal): Promise<JobResult> {
    const start = performance.now();
    const binaryType = binaryTypeOf(type);
    const result = binaryType === undefined ? simulateVm() : simulateJob(this.#core, binaryType, input);
    const leastMs =
      this.#delay.kind === "fixed" ? this.#delay.ms : this.#delay.factor * MEASURED_MS[nameOfJobType(type)];
    const leftMs = leastMs - (performance.now() - start);
    if (leftMs > 0) await sleep(leftMs, undefined, { signal });
    return result;
  }
}
