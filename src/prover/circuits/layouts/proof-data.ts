import type { Generation } from "../../../protocol/generations/generation.ts";
import { type Codec, type Decoded, struct } from "../../codec/codec.ts";
import { countedBytes, countedFields, field, fields, flag, u32 } from "../../codec/primitives.ts";

/** Longest proof of a circuit of any generation, in fields (PUBLIC_VM). */
const MAX_PROOF_FIELDS = 16_400;
/** Longest binary proof: the public inputs and fields of a client's proof, or of PUBLIC_VM. */
const MAX_PROOF_BYTES = 32 * MAX_PROOF_FIELDS;
/** Fields of the longest verification key of any generation. */
const MAX_KEY_FIELDS = 128;

/** What the forms of inputs and outputs depend on. */
export type ProofRules = Pick<Generation, "circuits" | "transactions">;

/** A proof as a circuit takes it. */
export interface RecursiveProof {
  /** n x 32 bytes. */
  readonly fields: Uint8Array;
  readonly binary: {
    /** Public inputs, then the proof. 42 zero bytes stand for no proof. */
    readonly bytes: Uint8Array;
    readonly numPublicInputs: number;
  };
  /** Whether `fields` hold the proof. */
  readonly fieldsValid: boolean;
}

const AnyRecursiveProof: Codec<RecursiveProof> = struct(
  {
    fields: countedFields(MAX_PROOF_FIELDS),
    binary: struct({ bytes: countedBytes(MAX_PROOF_BYTES), numPublicInputs: u32 }),
    fieldsValid: flag,
  },
  { abi: ["fields"] },
);

/** A proof of `length` fields. */
export function recursiveProof(length: number): Codec<RecursiveProof> {
  return {
    ...AnyRecursiveProof,
    read(from) {
      const proof = AnyRecursiveProof.read(from);
      const count = proof.fields.length / 32;
      return count === length ? proof : from.fail(`must be a proof of ${length} fields, got ${count}`);
    },
  };
}

export const VerificationKey = struct(
  { fields: countedFields(MAX_KEY_FIELDS), hash: field, bytes: countedBytes(MAX_KEY_FIELDS * 32) },
  { abi: ["fields", "hash"] },
);
export type VerificationKey = Decoded<typeof VerificationKey>;

/** A verification key and its place in the tree of keys. */
export const VerificationKeyInTree = struct({ key: VerificationKey, leafIndex: u32, siblingPath: fields(7) });
export type VerificationKeyInTree = Decoded<typeof VerificationKeyInTree>;

/** A child's proof, with what its circuit returned. */
export interface ProofData<T> {
  readonly publicInputs: T;
  readonly proof: RecursiveProof;
  readonly verificationKey: VerificationKeyInTree;
}

export function proofData<T>(publicInputs: Codec<T>, proofFields: number): Codec<ProofData<T>> {
  return struct({ publicInputs, proof: recursiveProof(proofFields), verificationKey: VerificationKeyInTree });
}
