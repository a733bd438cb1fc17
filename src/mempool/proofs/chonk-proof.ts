import { kernelOutputFields } from "../../core/derive/tx-hash.ts";
import { concat } from "../../protocol/bytes.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import keys from "./data/tx-proof-keys.json" with { type: "json" };

const FIELD_BYTES = 32;
/** Fields of the parts that follow the first, in the order of the proof. */
const PART_FIELDS = { merge: 42, eccvm: 608, ipa: 64, translator: 786 } as const;

const KEYS = {
  withPublicCalls: Buffer.from(keys.withPublicCalls.key, "base64"),
  privateOnly: Buffer.from(keys.privateOnly.key, "base64"),
};

/** Verification key of the circuit that a tx's proof belongs to, 4,064 bytes. */
export function proofKey(data: Uint8Array): Uint8Array {
  return isForPublic(data) ? KEYS.withPublicCalls : KEYS.privateOnly;
}

/**
 * What is verified: the kernel's output as public inputs, then the proof's fields without their count, 32 bytes each
 * (docs/protocol/07-transactions-and-fees.md#716-proofs).
 */
export function proofFields({ data, chonkProof }: Pick<Tx, "data" | "chonkProof">): Uint8Array {
  return concat(kernelOutputFields(data), chonkProof.subarray(4));
}

/** The parts of a Chonk proof, each a list of fields. `mega` begins with the public inputs. */
interface ProofParts {
  mega: Uint8Array[];
  merge: Uint8Array[];
  eccvm: Uint8Array[];
  ipa: Uint8Array[];
  translator: Uint8Array[];
}

/** Splits the proof of a tx, with its public inputs, into its parts. */
export function proofParts(tx: Pick<Tx, "data" | "chonkProof">): ProofParts {
  return splitProof(proofFields(tx));
}

/** Splits the fields of a proof with its public inputs: all parts but the first have fixed lengths. */
function splitProof(bytes: Uint8Array): ProofParts {
  const fields = Array.from({ length: bytes.length / FIELD_BYTES }, (_, i) =>
    bytes.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES),
  );
  const { merge, eccvm, ipa, translator } = PART_FIELDS;
  let at = fields.length - merge - eccvm - ipa - translator;
  const take = (count: number): Uint8Array[] => {
    at += count;
    return fields.slice(at - count, at);
  };
  return {
    mega: fields.slice(0, at),
    merge: take(merge),
    eccvm: take(eccvm),
    ipa: take(ipa),
    translator: take(translator),
  };
}
