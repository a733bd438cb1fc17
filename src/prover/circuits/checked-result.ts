import { DecodeError } from "../../protocol/errors.ts";
import { decode } from "../codec/codec.ts";
import { decodeOutput } from "../jobs/job-output.ts";
import { binaryTypeOf, type JobResult, type StoredOutput } from "../jobs/job-result.ts";
import { type JobType, nameOfJobType } from "../jobs/job-type.ts";
import { type ProofRules, recursiveProof } from "./layouts/proof-data.ts";
import { verificationKeyOf } from "./verification-keys.ts";

/**
 * The result of a stored output, if it has the form of one of the given type and is proven with the released circuit.
 * Throws a DecodeError that names field and rule.
 */
export function checkedResult(
  rules: Pick<ProofRules, "circuits">,
  type: JobType,
  { type: stored, result }: StoredOutput,
): JobResult {
  if (stored !== type) {
    throw new DecodeError("output.type", `must be ${nameOfJobType(type)}, got ${nameOfJobType(stored)}`);
  }
  const binaryType = binaryTypeOf(type);
  if (result instanceof Uint8Array) {
    if (binaryType !== undefined) throw new DecodeError("output.result", "must have public inputs");
    decode(recursiveProof(rules.circuits.proofFields.vm), "PUBLIC_VM proof", result);
    return result;
  }
  if (binaryType === undefined) throw new DecodeError("output.result", "must be a proof");
  const { verificationKey } = decodeOutput(rules, binaryType, result);
  if (Buffer.compare(verificationKey.hash, verificationKeyOf(rules, binaryType).key.hash) !== 0) {
    throw new DecodeError(`${binaryType} verification key`, "must be that of the released circuit");
  }
  return result;
}
