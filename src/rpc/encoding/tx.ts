import { STRIPPED_PROOF, type Tx } from "../../protocol/tx/tx.ts";
import type { JsonWriter } from "./json-writer.ts";

/** A tx of the pool; without `withProof` an all-zero proof stands for its own (sheet 03 section 4.16). */
export interface ShownTx {
  hash: Uint8Array;
  tx: Tx;
  withProof: boolean;
}

/** Tx (sheet 02 section 4.11). */
export function encodeTx(out: JsonWriter, { hash, tx, withProof }: ShownTx): void {
  out.text('{"txHash":').word(hash);
  out.text(',"data":').base64(tx.data);
  out.text(',"chonkProof":').base64(withProof ? tx.chonkProof : STRIPPED_PROOF);
  out.text(',"contractClassLogFields":').array(tx.contractClassLogFields, (to, fields) => {
    to.text('{"fields":').words(fields).text("}");
  });
  out.text(',"publicFunctionCalldata":').array(tx.publicFunctionCalldata, (to, { values, hash: own }) => {
    to.text('{"values":').words(values).text(',"hash":').word(own).text("}");
  });
  out.text("}");
}
