import { ChonkVerifierOutput } from "../circuits/layouts/kernel.ts";
import { PROOF_FIELDS, type RecursiveProof, recursiveProof, VerificationKey } from "../circuits/layouts/proof-data.ts";
import { BlockRollup, CheckpointRollup, EpochRollup, Parity, TxRollup } from "../circuits/layouts/rollups.ts";
import { type Codec, type Decoded, decode, encode } from "../codec/codec.ts";
import type { BinaryJobType } from "./job-input.ts";

interface OutputForm<T> {
  readonly publicInputs: Codec<T>;
  readonly proofFields: number;
}

const { rollup, honk } = PROOF_FIELDS;
const tx: OutputForm<TxRollup> = { publicInputs: TxRollup, proofFields: rollup };
const block: OutputForm<BlockRollup> = { publicInputs: BlockRollup, proofFields: rollup };
const checkpoint: OutputForm<CheckpointRollup> = { publicInputs: CheckpointRollup, proofFields: rollup };
const parity: OutputForm<Parity> = { publicInputs: Parity, proofFields: honk };

/** What the circuit of each type returns and how long its proof is. PUBLIC_VM returns only a proof. */
export const JOB_OUTPUTS = {
  PUBLIC_CHONK_VERIFIER: { publicInputs: ChonkVerifierOutput, proofFields: rollup },
  PRIVATE_TX_BASE_ROLLUP: tx,
  PUBLIC_TX_BASE_ROLLUP: tx,
  TX_MERGE_ROLLUP: tx,
  BLOCK_ROOT_FIRST_ROLLUP: block,
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: block,
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: block,
  BLOCK_ROOT_ROLLUP: block,
  BLOCK_ROOT_SINGLE_TX_ROLLUP: block,
  BLOCK_MERGE_ROLLUP: block,
  CHECKPOINT_ROOT_ROLLUP: checkpoint,
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: checkpoint,
  CHECKPOINT_PADDING_ROLLUP: checkpoint,
  CHECKPOINT_MERGE_ROLLUP: checkpoint,
  ROOT_ROLLUP: { publicInputs: EpochRollup, proofFields: honk },
  PARITY_BASE: parity,
  PARITY_ROOT: parity,
} as const satisfies Record<BinaryJobType, OutputForm<never> | OutputForm<unknown>>;

export type PublicInputs<T extends BinaryJobType> = Decoded<(typeof JOB_OUTPUTS)[T]["publicInputs"]>;

/** What an agent returns for a job. */
interface JobOutput<P> {
  readonly publicInputs: P;
  readonly proof: RecursiveProof;
  readonly verificationKey: VerificationKey;
}

/** The encoded parts of an output, as they are sent. */
export interface OutputBytes {
  readonly publicInputs: Uint8Array;
  readonly proof: Uint8Array;
  readonly verificationKey: Uint8Array;
}

export function encodeOutput<T extends BinaryJobType>(type: T, output: JobOutput<PublicInputs<T>>): OutputBytes {
  const { publicInputs, proofFields } = JOB_OUTPUTS[type];
  return {
    publicInputs: encode(publicInputs as Codec<PublicInputs<T>>, output.publicInputs),
    proof: encode(recursiveProof(proofFields), output.proof),
    verificationKey: encode(VerificationKey, output.verificationKey),
  };
}

/** Throws a DecodeError that names field and rule. */
export function decodeOutput<T extends BinaryJobType>(type: T, bytes: OutputBytes): JobOutput<PublicInputs<T>> {
  const { publicInputs, proofFields } = JOB_OUTPUTS[type];
  return {
    publicInputs: decode(publicInputs as Codec<PublicInputs<T>>, `${type} public inputs`, bytes.publicInputs),
    proof: decode(recursiveProof(proofFields), `${type} proof`, bytes.proof),
    verificationKey: decode(VerificationKey, `${type} verification key`, bytes.verificationKey),
  };
}
