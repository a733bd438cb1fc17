import { concat } from "../../../protocol/bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../../../protocol/constants.ts";
import type { Fr } from "../../../protocol/field.ts";
import type { TransactionRules } from "../../../protocol/generations/transactions.ts";
import { FieldRangeError, ProofLengthError, TruncatedError } from "../../../protocol/tx/errors.ts";
import { chonkProof, type Tx, txData, withoutProof } from "../../../protocol/tx/tx.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { bytes } from "../json/bytes.ts";
import { array, type Codec, converted, described, object, optional, ruled, typed } from "../json/codec.ts";
import { encoder } from "../json/encoder.ts";
import { field } from "../json/field.ts";
import { fieldText } from "../json/hex-text.ts";
import { about, listOf, record } from "../json/json-schema.ts";
import { base64, FIELD, TX_HASH } from "../json/scalars.ts";
import { boolean } from "../json/text.ts";

/** Bytes of a binary structure; its own form errors become the answer. */
function binary(read: (given: Uint8Array) => Uint8Array): Codec<Uint8Array> {
  return converted(bytes, (given) => {
    try {
      return read(given);
    } catch (cause) {
      const isForm =
        cause instanceof TruncatedError || cause instanceof FieldRangeError || cause instanceof ProofLengthError;
      throw isForm ? new ExecutionError(cause.message, { cause }) : cause;
    }
  });
}

/** What the form of a tx depends on. */
type TxForm = Pick<TransactionRules, "proofFields" | "maxLists">;

/** Codecs of a tx's parts; `word` reads a field in the form of one API. */
function partsOf(word: Codec<Fr>, { proofFields, maxLists }: TxForm) {
  const classLogFields = object({
    fields: described(
      ruled(array(word), ({ length }) => (length === CONTRACT_CLASS_LOG_FIELDS ? undefined : "Invalid input")),
      `The log's ${CONTRACT_CLASS_LOG_FIELDS} fields, zeros after its end.`,
    ),
  });
  const calldata = object({
    values: described(array(word, maxLists?.calldataFields), "The function's selector, then its arguments."),
    hash: described(word, "Hash of the values."),
  });
  return object({
    contractClassLogFields: described(
      array(
        converted(classLogFields, ({ fields }) => concat(...fields)),
        maxLists?.classLogs,
      ),
      "One for each contract class log.",
    ),
    publicFunctionCalldata: described(
      array(
        converted(calldata, ({ values, hash }) => ({
          values: concat(...values),
          hash,
        })),
        maxLists?.calldata,
      ),
      "One for each public call: those of the setup, of the app logic, of the teardown.",
    ),
    data: described(binary(txData), "The public inputs of the transaction's private kernel, in their binary form."),
    chonkProof: described(
      binary((given) => chonkProof(given, proofFields)),
      "The proof: the number of fields (4 bytes, big-endian), then 32 bytes each.",
    ),
  });
}

function txOf(word: Codec<Fr>, form: TxForm, title: string): Codec<Tx> {
  return typed(partsOf(word, form), title, "A transaction; other members, such as its hash, are not looked at.");
}

/**
 * A tx as clients send it (docs/protocol/05-rpc.md#522-transactions-in-json). `txHash` and unknown keys are ignored.
 * First all broken rules of form are reported; then the first fault of the contents is the answer.
 */
export const releaseTx = (form: TxForm): Codec<Tx> => txOf(field, form, "ReleaseTxInput");
export const developmentTx = (form: TxForm): Codec<Tx> => txOf(fieldText, form, "TxInput");

/** Options of isValidTx; null means not given. */
export const validationOptions = typed(
  object({
    isSimulation: described(optional(boolean, false), "Whether to leave the proof unchecked."),
    skipFeeEnforcement: described(optional(boolean, false), "Whether to leave gas and fees unchecked."),
  }),
  "IsValidTxOptions",
  "What is not checked; all false by default.",
);

/** What an answer about a tx includes. */
const includeProof = described(
  optional(boolean, false),
  "Whether a transaction has its proof; otherwise the proof is all zero.",
);
export const proofOption = typed(
  object({ includeProof }),
  "GetTxByHashOptions",
  "What is shown of a transaction; all false by default.",
);
export const receiptOptions = typed(
  object({
    includeTxEffect: described(optional(boolean, false), "Whether to attach the effects of a transaction in a block."),
    includePendingTx: described(optional(boolean, false), "Whether to attach a pending transaction."),
    includeProof,
  }),
  "GetTxReceiptOptions",
  "What is attached to a receipt; all false by default.",
);

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
  out.text(',"chonkProof":').base64((withProof ? tx : withoutProof(tx)).chonkProof);
  out.text(',"contractClassLogFields":').array(tx.contractClassLogFields, (to, fields) => {
    to.text('{"fields":').words(fields).text("}");
  });
  out.text(',"publicFunctionCalldata":').array(tx.publicFunctionCalldata, (to, { values, hash: own }) => {
    to.text('{"values":').words(values).text(',"hash":').word(own).text("}");
  });
  out.text("}");
});
