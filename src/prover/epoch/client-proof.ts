import { concat } from "../../protocol/bytes.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import { layoutOf, TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import { kernelOutputOf } from "../circuits/tx-data.ts";
import { verificationKeyOf } from "../circuits/verification-keys.ts";

/** The proof that a client sends with its transaction, as circuits take it. */
export function clientProof({ data, chonkProof }: Tx): ProofData<Uint8Array> {
  const fields = chonkProof.subarray(4);
  const publicInputs = kernelOutputFields(data);
  return {
    publicInputs: kernelOutputOf(data),
    proof: {
      fields,
      binary: { bytes: concat(publicInputs, fields), numPublicInputs: publicInputs.length / 32 },
      fieldsValid: true,
    },
    verificationKey: verificationKeyOf(isForPublic(data) ? "HIDING_KERNEL_TO_PUBLIC" : "HIDING_KERNEL_TO_ROLLUP"),
  };
}

/** The kernel's output with a field for each of its values: gas used, fee payer and expiration stand at the end. */
function kernelOutputFields(data: Uint8Array): Uint8Array {
  const { at, width } = layoutOf(data);
  const words = new Uint8Array(at.length * 32);
  for (const [i, from] of at.entries()) words.set(data.subarray(from, from + width[i]), (i + 1) * 32 - width[i]);
  const start = at.indexOf(TX_DATA_AT.anchorHeader) * 32;
  const end = at.indexOf(TX_DATA_AT.gasUsed) * 32;
  const accumulated = at.indexOf(TX_DATA_AT.accumulated) * 32;
  return concat(words.subarray(start, end), words.subarray(accumulated), words.subarray(end, accumulated));
}
