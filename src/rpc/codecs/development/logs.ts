import type { TaggedLog } from "../../../archiver/content-types.ts";
import { encoder } from "../json/encoder.ts";
import { about, COUNT, listOf, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, FIELD, TIMESTAMP, TX_HASH } from "../json/scalars.ts";

/** Logs by tag; with the effects of their txs if requested. */
interface LogResults {
  byTag: TaggedLog[][];
  includeEffects: boolean;
}

/** Members of a log in an answer, those that are always there and those that are asked for. */
export const LOG_MEMBERS = [
  {
    logData: about(listOf(FIELD), "The log, its tag first."),
    blockNumber: BLOCK_NUMBER,
    blockHash: BLOCK_HASH,
    blockTimestamp: about(TIMESTAMP, "Start of the block's slot."),
    txHash: TX_HASH,
    txIndexWithinBlock: about(COUNT, "Place of its transaction in the block, from 0."),
    logIndexWithinTx: about(
      COUNT,
      "Its place in the transaction, from 0. Public logs come after the private ones, or are counted for themselves.",
    ),
  },
  {
    noteHashes: about(listOf(FIELD), "All note hashes of its transaction; only with includeEffects."),
    nullifiers: about(listOf(FIELD), "All nullifiers of its transaction; only with includeEffects."),
  },
] as const;

const LOG_RESULTS = about(
  listOf(listOf(record("LogResult", "A log that was found by its tag.", ...LOG_MEMBERS))),
  "An array for each tag, in the order of the query; in it the logs by block, transaction and log, ascending.",
);

/** LogResult[][] (docs/protocol/05-rpc.md#527-logs-by-tag). */
export const encodeLogResults = encoder<LogResults>(LOG_RESULTS, (out, { byTag, includeEffects }) => {
  out.array(
    byTag,
    (to, logs) =>
      void to.array(logs, (item, log) => {
        writeLogMembers(item.text("{"), log, includeEffects);
        item.text("}");
      }),
  );
});

export function writeLogMembers(out: JsonWriter, log: TaggedLog, includeEffects: boolean): void {
  out.text('"logData":').words(log.logData);
  out.text(`,"blockNumber":${log.blockNumber},"blockHash":`).word(log.blockHash);
  out.text(',"blockTimestamp":').decimal(log.blockTimestamp);
  out.text(',"txHash":').word(log.txHash);
  out.text(`,"txIndexWithinBlock":${log.txIndexInBlock},"logIndexWithinTx":${log.logIndexWithinTx}`);
  if (includeEffects) {
    out.text(',"noteHashes":').words(log.noteHashes);
    out.text(',"nullifiers":').words(log.nullifiers);
  }
}
