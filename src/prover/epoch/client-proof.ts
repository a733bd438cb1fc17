import { kernelOutputFields } from "../../core/derive/tx-hash.ts";
import { concat } from "../../protocol/bytes.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { ProofData, ProofRules } from "../circuits/layouts/proof-data.ts";
import { kernelOutputOf } from "../circuits/tx-data.ts";
import { verificationKeyOf } from "../circuits/verification-keys.ts";

/** The proof that a client sends with its transaction, as circuits take it. */
export function clientProof(rules: Pick<ProofRules, "circuits">, { data, chonkProof }: Tx): ProofData<Uint8Array> {
  const fields = chonkProof.subarray(4);
  const publicInputs = kernelOutputFields(data);
  return {
    publicInputs: kernelOutputOf(data),
    proof: {
      fields,
      binary: { bytes: concat(publicInputs, fields), numPublicInputs: publicInputs.length / 32 },
      fieldsValid: true,
    },
    verificationKey: verificationKeyOf(
      rules,
      isForPublic(data) ? "HIDING_KERNEL_TO_PUBLIC" : "HIDING_KERNEL_TO_ROLLUP",
    ),
  };
}
