import type { TaggedLog } from "../../../archiver/content-types.ts";
import type { JsonWriter } from "../json-writer.ts";

/** Logs by tag, with the effects of their txs when asked for. */
export interface LogResults {
  byTag: TaggedLog[][];
  includeEffects: boolean;
}

/** LogResult[][] (sheet 03 section 4.17). */
export function encodeLogResults(out: JsonWriter, { byTag, includeEffects }: LogResults): void {
  out.array(byTag, (to, logs) => void to.array(logs, (item, log) => encodeLogResult(item, log, includeEffects)));
}

function encodeLogResult(out: JsonWriter, log: TaggedLog, includeEffects: boolean): void {
  out.text('{"logData":').words(log.logData);
  out.text(`,"blockNumber":${log.blockNumber},"blockHash":`).word(log.blockHash);
  out.text(',"blockTimestamp":').decimal(log.blockTimestamp);
  out.text(',"txHash":').word(log.txHash);
  out.text(`,"txIndexWithinBlock":${log.txIndexInBlock},"logIndexWithinTx":${log.logIndexWithinTx}`);
  if (includeEffects) {
    out.text(',"noteHashes":').words(log.noteHashes);
    out.text(',"nullifiers":').words(log.nullifiers);
  }
  out.text("}");
}
