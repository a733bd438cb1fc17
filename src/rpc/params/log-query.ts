import { ExecutionError } from "../jsonrpc/errors.ts";
import { anchorBlock } from "./block-parameter.ts";
import { absent, array, type Codec, converted, isObject, object, optional, ruled } from "./codec.ts";
import { field, l2Address, txHash } from "./field.ts";
import { fieldText, l2AddressText, txHashText } from "./hex-text.ts";
import { integer } from "./number.ts";
import { boolean } from "./text.ts";

/** Most tags of one request. */
export const MOST_TAGS = 100;

/** LogId, whose block has to be one that can hold logs (sheet 02 section 4.5). */
const logId = converted(
  object({ blockNumber: integer(), blockHash: field, txHash, txIndex: integer(), logIndex: integer() }),
  (id) => {
    if (id.blockNumber < 1) throw new ExecutionError(`Invalid block number: ${id.blockNumber}`);
    return id;
  },
);

/** LogFilter (sheet 02 section 4.5). Blocks below 1, also negative ones, are allowed and act as 1. */
export const logFilter = object({
  txHash: absent(txHash),
  fromBlock: absent(integer()),
  toBlock: absent(integer()),
  afterLog: absent(logId),
  contractAddress: absent(l2Address),
  tag: absent(field),
});

/** Where a log is, by the number or the hash of its tx; both forms of the cursor name it (sheet 03 section 9). */
export interface LogCursor {
  blockNumber: number;
  tx: number | Uint8Array;
  logIndexWithinTx: number;
}

const place = integer({ least: 0 });
const cursorByIndex = object({ blockNumber: place, txIndexWithinBlock: place, logIndexWithinTx: place });
const cursorByHash = object({ blockNumber: place, txHash: txHashText, logIndexWithinTx: place });

const logCursor: Codec<LogCursor> = {
  schema: { title: "LogCursor", anyOf: [cursorByIndex.schema, cursorByHash.schema] },
  read(value, path, issues) {
    if (isObject(value) && value.txIndexWithinBlock !== undefined) {
      const { blockNumber, txIndexWithinBlock, logIndexWithinTx } = cursorByIndex.read(value, path, issues);
      return { blockNumber, tx: txIndexWithinBlock, logIndexWithinTx };
    }
    const read = cursorByHash.read(value, path, issues) ?? {};
    return { blockNumber: read.blockNumber, tx: read.txHash, logIndexWithinTx: read.logIndexWithinTx };
  },
};

/** A tag and where its logs are to go on. */
export interface TagEntry {
  tag: Uint8Array;
  afterLog: LogCursor | undefined;
}

const tagWithCursor = object({ tag: fieldText, afterLog: optional(logCursor) });

const tagEntry: Codec<TagEntry> = {
  schema: { title: "TagEntry", anyOf: [fieldText.schema, tagWithCursor.schema] },
  read: (value, path, issues) =>
    isObject(value)
      ? tagWithCursor.read(value, path, issues)
      : { tag: fieldText.read(value, path, issues), afterLog: undefined },
};

/** Most logs of a tag in one answer of the development namespace. */
const MOST_LOGS_PER_TAG = 20;

const tags: Codec<TagEntry[]> = {
  schema: array(tagEntry, MOST_TAGS, 1).schema,
  read: ruled(array(tagEntry, Number.POSITIVE_INFINITY, 1), ({ length }) =>
    length > MOST_TAGS ? `tags must have at most ${MOST_TAGS} entries` : undefined,
  ).read,
};

const limitPerTag: Codec<number> = {
  schema: { type: ["integer", "string"], minimum: 1, maximum: MOST_LOGS_PER_TAG, default: MOST_LOGS_PER_TAG },
  read: ruled(integer({ least: 1 }), (limit) =>
    limit > MOST_LOGS_PER_TAG ? `limitPerTag must be <= ${MOST_LOGS_PER_TAG}` : undefined,
  ).read,
};

const commonKeys = {
  tags,
  fromBlock: optional(place),
  toBlock: optional(place),
  txHash: optional(txHashText),
  referenceBlock: optional(anchorBlock),
  includeEffects: optional(boolean, false),
  limitPerTag: optional(limitPerTag, MOST_LOGS_PER_TAG),
};

const oneScope = ({ txHash: tx, fromBlock, toBlock }: { txHash?: Uint8Array; fromBlock?: number; toBlock?: number }) =>
  tx !== undefined && (fromBlock !== undefined || toBlock !== undefined)
    ? "`txHash` is mutually exclusive with `fromBlock`/`toBlock`"
    : undefined;

/** PrivateLogsQuery and PublicLogsQuery (sheet 03 section 9). */
export const privateLogsQuery = ruled(object(commonKeys), oneScope);
export const publicLogsQuery = ruled(object({ ...commonKeys, contractAddress: l2AddressText }), oneScope);

type Read<C> = C extends Codec<infer T> ? T : never;
export type LogFilter = Read<typeof logFilter>;
export type PrivateLogsQuery = Read<typeof privateLogsQuery>;
