import { writeU32 } from "../../protocol/bytes.ts";
import type { BinaryJobType } from "../jobs/job-input.ts";
import type { RecursiveProof } from "./layouts/proof-data.ts";

/** 42 zero bytes without public inputs stand for no proof. */
const NO_BINARY_PROOF = { bytes: new Uint8Array(42), numPublicInputs: 0 };

/** The fields that stand for a proof on networks without proofs: 1, 2, 3 and so on, or zeros. */
export function simulatedProof(type: BinaryJobType | "PUBLIC_VM", length: number): RecursiveProof {
  const fields = new Uint8Array(length * 32);
  if (type !== "PUBLIC_VM" && type !== "PUBLIC_CHONK_VERIFIER") {
    for (let i = 0; i < length; i++) writeU32(fields, i * 32 + 28, i + 1);
  }
  return { fields, binary: NO_BINARY_PROOF, fieldsValid: true };
}
