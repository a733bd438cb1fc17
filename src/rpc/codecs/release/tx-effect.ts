import { CONTRACT_CLASS_LOG_FIELDS, PRIVATE_LOG_FIELDS } from "../../../protocol/constants.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { RevertWords } from "../../ports/node-status.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, type JsonSchema, listOf, members, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { FIELD, L2_ADDRESS, TX_HASH } from "../json/scalars.ts";
import { shownRevertCode } from "./revert-words.ts";

const CLASS_LOG_LENGTH = { minItems: CONTRACT_CLASS_LOG_FIELDS, maxItems: CONTRACT_CLASS_LOG_FIELDS };

const PUBLIC_DATA_WRITE = record("PublicDataWrite", "A value that was written to public storage.", {
  leafSlot: about(FIELD, "Key in the public data tree: the hash of the contract's address and its slot."),
  value: about(FIELD, "The new value."),
});

/** `writes` is n x 64 bytes: leaf slot, value. */
function encodePublicDataWrites(out: JsonWriter, writes: Uint8Array): void {
  out.text("[");
  for (let at = 0; at < writes.length; at += 64) {
    out.text(at === 0 ? '{"leafSlot":' : ',{"leafSlot":').word(writes, at);
    out
      .text(',"value":')
      .word(writes, at + 32)
      .text("}");
  }
  out.text("]");
}

const PRIVATE_LOG = record("PrivateLog", "A log that a private function emitted; its contents are encrypted.", {
  fields: about(
    listOf(FIELD, { minItems: PRIVATE_LOG_FIELDS, maxItems: PRIVATE_LOG_FIELDS }),
    "The log, the first field its siloed tag; zeros after its end.",
  ),
  emittedLength: {
    type: "integer",
    minimum: 0,
    maximum: PRIVATE_LOG_FIELDS,
    description: "How many of the fields are the log.",
  },
});

const encodePrivateLog = encoder<Uint8Array>(PRIVATE_LOG, (out, fields) => {
  out.text('{"fields":').words(fields, PRIVATE_LOG_FIELDS);
  out
    .text(',"emittedLength":')
    .number(fields.length / 32)
    .text("}");
});

type ContractLog = TxEffect["publicLogs"][number];

const PUBLIC_LOG = record("PublicLog", "A log that a public function emitted.", {
  contractAddress: about(L2_ADDRESS, "The contract that emitted it."),
  fields: about(listOf(FIELD), "The log; its first field can be searched for as its tag."),
});

/** `{contractAddress, fields}`, unpadded. */
export const encodePublicLog = encoder<ContractLog>(PUBLIC_LOG, (out, log) => {
  out.text('{"contractAddress":').word(log.contractAddress);
  out.text(',"fields":').words(log.fields).text("}");
});

const CONTRACT_CLASS_LOG = record("ContractClassLog", "A log that carries a contract class or another large thing.", {
  contractAddress: about(L2_ADDRESS, "The contract that emitted it."),
  fields: about(
    members({ fields: about(listOf(FIELD, CLASS_LOG_LENGTH), "The log; zeros after its end.") }),
    "The log's fields.",
  ),
  emittedLength: {
    type: "integer",
    minimum: 0,
    maximum: CONTRACT_CLASS_LOG_FIELDS,
    description: "How many of the fields are the log.",
  },
});

/** `{contractAddress, fields: {fields}, emittedLength}`, always 3023 fields. */
export const encodeContractClassLog = encoder<ContractLog>(CONTRACT_CLASS_LOG, (out, log) => {
  out.text('{"contractAddress":').word(log.contractAddress);
  out.text(',"fields":{"fields":').words(log.fields, CONTRACT_CLASS_LOG_FIELDS);
  out
    .text('},"emittedLength":')
    .number(log.fields.length / 32)
    .text("}");
});

/** Members up to the revert code, whose schema depends on the API. */
const effectMembers = (revertCode: JsonSchema) => ({
  revertCode,
  txHash: TX_HASH,
  transactionFee: about(FIELD, "The fee that was paid, in the fee asset's smallest unit."),
  noteHashes: about(listOf(FIELD, { maxItems: 64 }), "Note hashes that the transaction added."),
  nullifiers: about(listOf(FIELD, { maxItems: 64 }), "Nullifiers that it added; the first is the transaction's own."),
  l2ToL1Msgs: about(listOf(FIELD, { maxItems: 8 }), "Hashes of its messages to L1."),
  publicDataWrites: about(listOf(PUBLIC_DATA_WRITE, { maxItems: 64 }), "What it wrote to public storage."),
  privateLogs: about(listOf(encodePrivateLog.schema, { maxItems: 64 }), "Its private logs."),
  publicLogs: about(listOf(encodePublicLog.schema), "Its public logs."),
  contractClassLogs: about(listOf(encodeContractClassLog.schema, { maxItems: 1 }), "Its contract class logs."),
});

/** Schema of an API's tx effects; `revertCodes` is its revert code's schema. */
export function txEffectSchema(title: string, revertCodes: JsonSchema): JsonSchema {
  return record(title, "What a transaction in a block did.", effectMembers(revertCodes));
}

/** Schema of the revert code since release 4.3. */
export const REVERT_CODE = { enum: [0, 1], description: "0: nothing reverted, 1: something did." };
const PHASE_REVERT_CODE = {
  enum: [0, 1, 2, 3],
  description: "0: nothing reverted, 1: the app logic or not known what, 2: the teardown, 3: both.",
};

/**
 * TxEffect (docs/protocol/05-rpc.md#517-transaction-effects). Private and contract class logs are padded with zeros to
 * their full length.
 */
export function txEffectEncoder(words: RevertWords): Encoder<TxEffect> {
  const schema = txEffectSchema("ReleaseTxEffect", words === "4.3" ? REVERT_CODE : PHASE_REVERT_CODE);
  return encoder(schema, (out, effect) => writeTxEffect(out, effect, shownRevertCode(effect, words)));
}

/** Writes the members; the APIs write the revert code differently. */
export function writeTxEffect(out: JsonWriter, effect: TxEffect, revertCode: number): void {
  out.text('{"revertCode":').number(revertCode);
  out.text(',"txHash":').word(effect.txHash);
  out.text(',"transactionFee":').word(effect.transactionFee);
  out.text(',"noteHashes":').words(effect.noteHashes);
  out.text(',"nullifiers":').words(effect.nullifiers);
  out.text(',"l2ToL1Msgs":').words(effect.l2ToL1Msgs);
  out.text(',"publicDataWrites":');
  encodePublicDataWrites(out, effect.publicDataWrites);
  out.text(',"privateLogs":').array(effect.privateLogs, encodePrivateLog);
  out.text(',"publicLogs":').array(effect.publicLogs, encodePublicLog);
  out.text(',"contractClassLogs":').array(effect.contractClassLogs, encodeContractClassLog).text("}");
}
