import { concat } from "../../protocol/bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { FieldRangeError, ProofLengthError, TruncatedError } from "../../protocol/tx/errors.ts";
import { chonkProof, type Tx, txData } from "../../protocol/tx/tx.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { bytes } from "./bytes.ts";
import { array, type Codec, converted, object, optional, ruled } from "./codec.ts";
import { field } from "./field.ts";
import { fieldText } from "./hex-text.ts";
import { boolean } from "./text.ts";

/** Bytes of a binary structure; its own errors become the answer. */
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

/** `word` reads a field in the form of one generation. */
function partsOf(word: Codec<Fr>) {
  const classLogFields = object({
    fields: ruled(array(word), ({ length }) => (length === CONTRACT_CLASS_LOG_FIELDS ? undefined : "Invalid input")),
  });
  return object({
    contractClassLogFields: array(converted(classLogFields, ({ fields }) => concat(...fields))),
    publicFunctionCalldata: array(
      converted(object({ values: array(word), hash: word }), ({ values, hash }) => ({
        values: concat(...values),
        hash,
      })),
    ),
    data: binary(txData),
    chonkProof: binary(chonkProof),
  });
}

function txOf(word: Codec<Fr>): Codec<Tx> {
  const parts = partsOf(word);
  return { ...parts, schema: { title: "Tx", ...parts.schema } };
}

/**
 * A tx as clients send it (sheet 02 section 4.11). `txHash` and other keys are not looked at. Form first: every broken rule is
 * named; then contents, of which the first that is wrong is the answer.
 */
export const tx = txOf(field);
export const developmentTx = txOf(fieldText);

/** Options of isValidTx; null means not given. */
export const validationOptions = object({
  isSimulation: optional(boolean, false),
  skipFeeEnforcement: optional(boolean, false),
});

/** What is attached to an answer about a tx. */
export const proofOption = object({ includeProof: optional(boolean, false) });
export const receiptOptions = object({
  includeTxEffect: optional(boolean, false),
  includePendingTx: optional(boolean, false),
  includeProof: optional(boolean, false),
});
