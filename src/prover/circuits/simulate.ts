import { decode, encode } from "../codec/codec.ts";
import { type BinaryJobType, inputForm } from "../jobs/job-input.ts";
import { encodeOutput, type OutputBytes, outputForm } from "../jobs/job-output.ts";
import { binaryTypeOf, type JobResult, type StoredInput } from "../jobs/job-result.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { CIRCUITS } from "./circuits.ts";
import { type ProofRules, recursiveProof } from "./layouts/proof-data.ts";
import { simulatedProof } from "./simulated-proof.ts";
import { verificationKeyOf } from "./verification-keys.ts";

/** The output of a job of any type on networks without proofs. Throws a DecodeError or a ConstraintError. */
export function simulate(context: CircuitContext, { type, input }: StoredInput): JobResult {
  const binaryType = binaryTypeOf(type);
  return binaryType === undefined ? simulateVm(context.generation) : simulateJob(context, binaryType, input);
}

/** The output of a job on networks without proofs. Throws a DecodeError or a ConstraintError. */
export function simulateJob<T extends BinaryJobType>(context: CircuitContext, type: T, input: Uint8Array): OutputBytes {
  const { generation } = context;
  const decoded = decode(inputForm(generation, type), `${type} input`, input);
  return encodeOutput(generation, type, {
    publicInputs: CIRCUITS[type](context, decoded),
    proof: simulatedProof(type, outputForm(generation, type).proofFields),
    verificationKey: verificationKeyOf(generation, type).key,
  });
}

/** As simulateJob for PUBLIC_VM, whose output is a proof only and does not depend on the input. */
export function simulateVm({ circuits: { proofFields } }: Pick<ProofRules, "circuits">): Uint8Array {
  return encode(recursiveProof(proofFields.vm), simulatedProof("PUBLIC_VM", proofFields.vm));
}
