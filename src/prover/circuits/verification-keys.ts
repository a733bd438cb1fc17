import { fromHex } from "../../protocol/bytes.ts";
import type { BinaryJobType } from "../jobs/job-input.ts";
import type { ProofRules, VerificationKeyInTree } from "./layouts/proof-data.ts";

/** Circuits whose proofs are checked by another one: those of jobs, and the two that end a client's proof. */
type KeyedCircuit = BinaryJobType | "HIDING_KERNEL_TO_ROLLUP" | "HIDING_KERNEL_TO_PUBLIC";

/** The released verification key of a circuit and its place in the tree of keys, whose root the rollup contract has. */
export function verificationKeyOf(
  { circuits }: Pick<ProofRules, "circuits">,
  circuit: KeyedCircuit,
): VerificationKeyInTree {
  const { leafIndex, hash, siblingPath, fields } = circuits.verificationKeys[circuit];
  const bytes = new Uint8Array(Buffer.from(fields, "base64"));
  return {
    key: { fields: bytes, hash: fromHex(hash), bytes },
    leafIndex,
    siblingPath: new Uint8Array(Buffer.from(siblingPath, "base64")),
  };
}
