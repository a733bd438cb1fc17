import { concat, fromHex } from "../../src/protocol/bytes.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";

interface TxJson {
  data: string;
  chonkProof: string;
  contractClassLogFields: { fields: string[] }[];
  publicFunctionCalldata: { values: string[]; hash: string }[];
}

/** A transaction as the v4 RPC shows it. */
export function txFromJson(json: unknown): Tx {
  const { data, chonkProof, contractClassLogFields, publicFunctionCalldata } = json as TxJson;
  const words = (fields: string[]) => concat(...fields.map(fromHex));
  return {
    data: new Uint8Array(Buffer.from(data, "base64")),
    chonkProof: new Uint8Array(Buffer.from(chonkProof, "base64")),
    contractClassLogFields: contractClassLogFields.map(({ fields }) => words(fields)),
    publicFunctionCalldata: publicFunctionCalldata.map(({ values, hash }) => ({
      values: words(values),
      hash: fromHex(hash),
    })),
  };
}
