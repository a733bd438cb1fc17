import type { FoundLog, TaggedLog } from "../../../archiver/content-types.ts";
import { type Encoder, encodeArray, encoder } from "../json/encoder.ts";
import { about, BOOLEAN, COUNT, listOf, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, FIELD, TIMESTAMP, TX_HASH } from "../json/scalars.ts";
import { encodeContractClassLog, encodePublicLog } from "./tx-effect.ts";

function encodeLogId(out: JsonWriter, log: FoundLog): void {
  out.text(`{"blockNumber":${log.blockNumber},"blockHash":`).word(log.blockHash);
  out.text(',"txHash":').word(log.txHash);
  out.text(`,"txIndex":${log.txIndex},"logIndex":${log.logIndex}}`);
}

interface FoundLogs {
  logs: FoundLog[];
  maxLogsHit: boolean;
}

const LOG_ID = record("LogId", "Where a log is.", {
  blockNumber: BLOCK_NUMBER,
  blockHash: BLOCK_HASH,
  txHash: TX_HASH,
  txIndex: about(COUNT, "Place of its transaction in the block, from 0."),
  logIndex: about(COUNT, "Its place among the transaction's logs of its kind, from 0."),
});

function encodeFound(title: string, logTitle: string, encodeLog: Encoder<FoundLog>): Encoder<FoundLogs> {
  const log = record(logTitle, "A log and where it is.", { id: LOG_ID, log: encodeLog.schema });
  const schema = record(title, "Logs that match a filter.", {
    logs: about(listOf(log), "By block, transaction and log, ascending."),
    maxLogsHit: about(BOOLEAN, "Whether there may be more than fit into one answer."),
  });
  return encoder(schema, (out, { logs, maxLogsHit }) => {
    out.text('{"logs":').array(logs, (to, log) => {
      to.text('{"id":');
      encodeLogId(to, log);
      to.text(',"log":');
      encodeLog(to, log);
      to.text("}");
    });
    out.text(`,"maxLogsHit":${maxLogsHit}}`);
  });
}

/** GetPublicLogsResponse and GetContractClassLogsResponse (docs/protocol/05-rpc.md#526-logs-by-range). */
export const encodePublicLogs = encodeFound("GetPublicLogsResponse", "ExtendedPublicLog", encodePublicLog);
export const encodeContractClassLogs = encodeFound(
  "GetContractClassLogsResponse",
  "ExtendedContractClassLog",
  encodeContractClassLog,
);

const SCOPED_LOG = record("TxScopedL2Log", "A log that was found by its tag, and what its transaction added.", {
  txHash: TX_HASH,
  blockNumber: BLOCK_NUMBER,
  blockTimestamp: about(TIMESTAMP, "Start of the block's slot."),
  logData: about(listOf(FIELD), "The log, its tag first."),
  noteHashes: about(listOf(FIELD), "All note hashes of its transaction."),
  firstNullifier: about(FIELD, "The transaction's own nullifier."),
});

/** TxScopedL2Log. */
const encodeScopedLog = encoder<TaggedLog>(SCOPED_LOG, (out, log) => {
  out.text('{"txHash":').word(log.txHash);
  out.text(`,"blockNumber":${log.blockNumber},"blockTimestamp":`).decimal(log.blockTimestamp);
  out.text(',"logData":').words(log.logData);
  out.text(',"noteHashes":').words(log.noteHashes);
  out.text(',"firstNullifier":').word(log.nullifiers).text("}");
});

/** TxScopedL2Log[][]: one array per tag. */
export const encodeScopedLogs = encodeArray(encodeArray(encodeScopedLog));
