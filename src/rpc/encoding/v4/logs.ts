import type { FoundLog, TaggedLog } from "../../../archiver/content-types.ts";
import type { Encoder, JsonWriter } from "../json-writer.ts";
import { encodeContractClassLog, encodePublicLog } from "./tx-effect.ts";

function encodeLogId(out: JsonWriter, log: FoundLog): void {
  out.text(`{"blockNumber":${log.blockNumber},"blockHash":`).word(log.blockHash);
  out.text(',"txHash":').word(log.txHash);
  out.text(`,"txIndex":${log.txIndex},"logIndex":${log.logIndex}}`);
}

export interface FoundLogs {
  logs: FoundLog[];
  maxLogsHit: boolean;
}

function encodeFound(encodeLog: Encoder<FoundLog>): Encoder<FoundLogs> {
  return (out, { logs, maxLogsHit }) => {
    out.text('{"logs":').array(logs, (to, log) => {
      to.text('{"id":');
      encodeLogId(to, log);
      to.text(',"log":');
      encodeLog(to, log);
      to.text("}");
    });
    out.text(`,"maxLogsHit":${maxLogsHit}}`);
  };
}

/** GetPublicLogsResponse and GetContractClassLogsResponse (sheet 02 section 4.5). */
export const encodePublicLogs = encodeFound(encodePublicLog);
export const encodeContractClassLogs = encodeFound(encodeContractClassLog);

/** TxScopedL2Log. */
function encodeScopedLog(out: JsonWriter, log: TaggedLog): void {
  out.text('{"txHash":').word(log.txHash);
  out.text(`,"blockNumber":${log.blockNumber},"blockTimestamp":`).decimal(log.blockTimestamp);
  out.text(',"logData":').words(log.logData);
  out.text(',"noteHashes":').words(log.noteHashes);
  out.text(',"firstNullifier":').word(log.nullifiers).text("}");
}

/** TxScopedL2Log[][]: one array per tag. */
export function encodeScopedLogs(out: JsonWriter, byTag: readonly (readonly TaggedLog[])[]): void {
  out.array(byTag, (to, logs) => void to.array(logs, encodeScopedLog));
}
