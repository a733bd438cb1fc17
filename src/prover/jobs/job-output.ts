import { ChonkVerifierOutput } from "../circuits/layouts/kernel.ts";
import {
  type ProofRules,
  type RecursiveProof,
  recursiveProof,
  VerificationKey,
} from "../circuits/layouts/proof-data.ts";
import {
  BlockRollup,
  CheckpointRollup,
  EpochRollup,
  type Parity,
  parity,
  TxRollup,
} from "../circuits/layouts/rollups.ts";
import { type Codec, type Decoded, decode, encode } from "../codec/codec.ts";
import type { BinaryJobType } from "./job-input.ts";

interface OutputForm<T> {
  readonly publicInputs: Codec<T>;
  readonly proofFields: number;
}

/** What the circuit of each type returns and how long its proof is. PUBLIC_VM returns only a proof. */
function outputsOf({ proofFields: { rollup, honk }, ...rules }: ProofRules["circuits"]) {
  const tx: OutputForm<TxRollup> = { publicInputs: TxRollup, proofFields: rollup };
  const block: OutputForm<BlockRollup> = { publicInputs: BlockRollup, proofFields: rollup };
  const checkpoint: OutputForm<CheckpointRollup> = { publicInputs: CheckpointRollup, proofFields: rollup };
  const ofMessages: OutputForm<Parity> = { publicInputs: parity(rules), proofFields: honk };
  return {
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
    PARITY_BASE: ofMessages,
    PARITY_ROOT: ofMessages,
  } as const satisfies Record<BinaryJobType, OutputForm<never> | OutputForm<unknown>>;
}

type JobOutputs = ReturnType<typeof outputsOf>;

export type PublicInputs<T extends BinaryJobType> = Decoded<JobOutputs[T]["publicInputs"]>;

const known = new WeakMap<ProofRules["circuits"], JobOutputs>();

/** The form of a job's output in a generation. */
export function outputForm<T extends BinaryJobType>(
  { circuits }: Pick<ProofRules, "circuits">,
  type: T,
): OutputForm<PublicInputs<T>> {
  let outputs = known.get(circuits);
  if (outputs === undefined) {
    outputs = outputsOf(circuits);
    known.set(circuits, outputs);
  }
  return outputs[type] as OutputForm<PublicInputs<T>>;
}

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

export function encodeOutput<T extends BinaryJobType>(
  rules: Pick<ProofRules, "circuits">,
  type: T,
  output: JobOutput<PublicInputs<T>>,
): OutputBytes {
  const { publicInputs, proofFields } = outputForm(rules, type);
  return {
    publicInputs: encode(publicInputs, output.publicInputs),
    proof: encode(recursiveProof(proofFields), output.proof),
    verificationKey: encode(VerificationKey, output.verificationKey),
  };
}

/** Throws a DecodeError that names field and rule. */
export function decodeOutput<T extends BinaryJobType>(
  rules: Pick<ProofRules, "circuits">,
  type: T,
  bytes: OutputBytes,
): JobOutput<PublicInputs<T>> {
  const { publicInputs, proofFields } = outputForm(rules, type);
  return {
    publicInputs: decode(publicInputs, `${type} public inputs`, bytes.publicInputs),
    proof: decode(recursiveProof(proofFields), `${type} proof`, bytes.proof),
    verificationKey: decode(VerificationKey, `${type} verification key`, bytes.verificationKey),
  };
}
