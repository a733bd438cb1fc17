import type { Core } from "../../core/core.ts";
import { decode, encode } from "../codec/codec.ts";
import { type BinaryJobType, JOB_INPUTS, type JobInput } from "../jobs/job-input.ts";
import { encodeOutput, JOB_OUTPUTS, type OutputBytes } from "../jobs/job-output.ts";
import { binaryTypeOf, type JobResult, type StoredInput } from "../jobs/job-result.ts";
import { CIRCUITS } from "./circuits.ts";
import { PROOF_FIELDS, recursiveProof } from "./layouts/proof-data.ts";
import { simulatedProof } from "./simulated-proof.ts";
import { verificationKeyOf } from "./verification-keys.ts";

/** The output of a job of any type on networks without proofs. Throws a DecodeError or a ConstraintError. */
export function simulate(core: Core, { type, input }: StoredInput): JobResult {
  const binaryType = binaryTypeOf(type);
  return binaryType === undefined ? simulateVm() : simulateJob(core, binaryType, input);
}

/** The output of a job on networks without proofs. Throws a DecodeError or a ConstraintError. */
export function simulateJob<T extends BinaryJobType>(core: Core, type: T, input: Uint8Array): OutputBytes {
  const decoded = decode(JOB_INPUTS[type], `${type} input`, input) as JobInput<T>;
  return encodeOutput(type, {
    publicInputs: CIRCUITS[type](core, decoded),
    proof: simulatedProof(type, JOB_OUTPUTS[type].proofFields),
    verificationKey: verificationKeyOf(type).key,
  });
}

/** As simulateJob for PUBLIC_VM, whose output is a proof only and does not depend on the input. */
export function simulateVm(): Uint8Array {
  return encode(recursiveProof(PROOF_FIELDS.vm), simulatedProof("PUBLIC_VM", PROOF_FIELDS.vm));
}
