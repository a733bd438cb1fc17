import { isZero, readU32, word } from "../../protocol/bytes.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";

/** Words before a log's fields: their number and the contract's address. */
const HEADER_WORDS = 2;

/** The logs in the flat form of the VM's public inputs: number of fields, contract address, fields, and so on. */
export function publicLogs(words: Uint8Array): TxEffect["publicLogs"] {
  const logs: TxEffect["publicLogs"] = [];
  const total = words.length / 32;
  for (let at = 0; at < total; ) {
    const length = word(words, at);
    const count = isZero(length.subarray(0, 28)) ? readU32(length, 28) : Number.POSITIVE_INFINITY;
    const end = at + HEADER_WORDS + count;
    if (end > total) {
      throw new ConstraintError(
        `vm.accumulated.publicLogs[${at}]`,
        `a log needs more than the ${total - at} fields left`,
      );
    }
    logs.push({
      contractAddress: word(words, at + 1),
      fields: words.subarray((at + HEADER_WORDS) * 32, end * 32),
    });
    at = end;
  }
  return logs;
}
