import { STRIPPED_PROOF, type Tx } from "../../../protocol/tx/tx.ts";
import { encoder } from "../json/encoder.ts";
import { about, listOf, record } from "../json/json-schema.ts";
import { base64, FIELD, TX_HASH } from "../json/scalars.ts";

/**
 * A tx of the pool; without `withProof` its proof is written as zeros
 * (docs/protocol/05-rpc.md#524-receipts-and-the-pool).
 */
export interface ShownTx {
  hash: Uint8Array;
  tx: Tx;
  withProof: boolean;
}

const TX = record("Tx", "A transaction with its proof and the large parts that its hash only binds.", {
  txHash: about(TX_HASH, "Its hash; not looked at in a transaction that is sent."),
  data: base64("TxData", "The public inputs of a transaction's private kernel, base64 of their binary form."),
  chonkProof: base64(
    "ChonkProof",
    "A transaction's proof, base64: the number of fields (4 bytes, big-endian), then 32 bytes each; all zero where it was left out.",
  ),
  contractClassLogFields: about(
    listOf(
      record("ContractClassLogFields", "The fields of a contract class log.", {
        fields: about(listOf(FIELD), "3023 fields, zeros after the log's end."),
      }),
    ),
    "One for each contract class log.",
  ),
  publicFunctionCalldata: about(
    listOf(
      record("HashedValues", "The calldata of a public call.", {
        values: about(listOf(FIELD), "The function's selector, then its arguments."),
        hash: about(FIELD, "Hash of the values."),
      }),
    ),
    "One for each public call: those of the setup, of the app logic, of the teardown.",
  ),
});

/** Tx (docs/protocol/05-rpc.md#522-transactions-in-json). */
export const encodeTx = encoder<ShownTx>(TX, (out, { hash, tx, withProof }) => {
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
});
