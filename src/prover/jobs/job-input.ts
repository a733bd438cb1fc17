import type { ProofRules } from "../circuits/layouts/proof-data.ts";
import { chonkVerifierInput, privateBaseInput, publicBaseInput } from "../circuits/layouts/tx-base.ts";
import {
  blockMergeInput,
  blockRootEmptyTxFirstInput,
  blockRootFirstInput,
  blockRootInput,
  checkpointMergeInput,
  checkpointRootInput,
  parityBaseInput,
  parityRootInput,
  txMergeInput,
} from "../circuits/layouts/upper-inputs.ts";
import { type Codec, type Decoded, struct } from "../codec/codec.ts";
import type { JobTypeName } from "./job-type.ts";

/** Inputs in binary form. That of PUBLIC_VM is JSON (vm-input.ts). */
function inputsOf(rules: ProofRules) {
  return {
    PUBLIC_CHONK_VERIFIER: chonkVerifierInput(rules),
    PRIVATE_TX_BASE_ROLLUP: privateBaseInput(rules),
    PUBLIC_TX_BASE_ROLLUP: publicBaseInput(rules),
    TX_MERGE_ROLLUP: txMergeInput(rules),
    BLOCK_ROOT_FIRST_ROLLUP: blockRootFirstInput(rules, 2),
    BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: blockRootFirstInput(rules, 1),
    BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: blockRootEmptyTxFirstInput(rules),
    BLOCK_ROOT_ROLLUP: blockRootInput(rules, 2),
    BLOCK_ROOT_SINGLE_TX_ROLLUP: blockRootInput(rules, 1),
    BLOCK_MERGE_ROLLUP: blockMergeInput(rules),
    CHECKPOINT_ROOT_ROLLUP: checkpointRootInput(rules, 2),
    CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: checkpointRootInput(rules, 1),
    /** Has no input. */
    CHECKPOINT_PADDING_ROLLUP: struct({}),
    CHECKPOINT_MERGE_ROLLUP: checkpointMergeInput(rules),
    ROOT_ROLLUP: checkpointMergeInput(rules),
    PARITY_BASE: parityBaseInput(rules),
    PARITY_ROOT: parityRootInput(rules),
  } as const satisfies Record<Exclude<JobTypeName, "PUBLIC_VM">, Codec<never> | Codec<unknown>>;
}

type JobInputs = ReturnType<typeof inputsOf>;

/** Job types whose input has a binary form. */
export type BinaryJobType = keyof JobInputs;

export type JobInput<T extends BinaryJobType> = Decoded<JobInputs[T]>;

const known = new WeakMap<ProofRules["circuits"], JobInputs>();

/** The form of a job's input in a generation. */
export function inputForm<T extends BinaryJobType>(rules: ProofRules, type: T): Codec<JobInput<T>> {
  let inputs = known.get(rules.circuits);
  if (inputs === undefined) {
    inputs = inputsOf(rules);
    known.set(rules.circuits, inputs);
  }
  return inputs[type] as Codec<JobInput<T>>;
}
