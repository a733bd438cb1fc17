import { CONTRACT_CLASS_LOG_FIELDS, PRIVATE_LOG_FIELDS } from "../../../protocol/constants.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { JsonWriter } from "../json-writer.ts";

/** TxEffect (sheet 02 section 4.3). Private and contract class logs are padded with zeros to their full length. */
export function encodeTxEffect(out: JsonWriter, effect: TxEffect): void {
  writeTxEffect(out, effect, effect.revertCode);
}

/** The revert code is what the generations write differently. */
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

function encodePrivateLog(out: JsonWriter, fields: Uint8Array): void {
  out.text('{"fields":').words(fields, PRIVATE_LOG_FIELDS);
  out
    .text(',"emittedLength":')
    .number(fields.length / 32)
    .text("}");
}

type ContractLog = TxEffect["publicLogs"][number];

/** `{contractAddress, fields}`, unpadded. */
export function encodePublicLog(out: JsonWriter, log: ContractLog): void {
  out.text('{"contractAddress":').word(log.contractAddress);
  out.text(',"fields":').words(log.fields).text("}");
}

/** `{contractAddress, fields: {fields}, emittedLength}`, always 3023 fields. */
export function encodeContractClassLog(out: JsonWriter, log: ContractLog): void {
  out.text('{"contractAddress":').word(log.contractAddress);
  out.text(',"fields":{"fields":').words(log.fields, CONTRACT_CLASS_LOG_FIELDS);
  out
    .text('},"emittedLength":')
    .number(log.fields.length / 32)
    .text("}");
}
