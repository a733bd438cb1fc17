import { isObject } from "../../../json/json-field.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import { absent, array, type Codec, converted, described, object, optional, ruled, typed } from "../json/codec.ts";
import { field, l2Address, txHash } from "../json/field.ts";
import { fieldText, l2AddressText, txHashText } from "../json/hex-text.ts";
import { about, named } from "../json/json-schema.ts";
import { integer, integerSchema } from "../json/number.ts";
import { boolean } from "../json/text.ts";
import { anchorBlock } from "./block-parameter.ts";

/** Most tags per request. */
export const MAX_TAGS = 100;

/** LogId of a block that can hold logs (docs/protocol/05-rpc.md#526-logs-by-range). */
const logId = converted(
  typed(
    object({
      blockNumber: described(integer(), "The block that the log is in."),
      blockHash: described(field, "Its hash, which has to be that of the block."),
      txHash: described(txHash, "The log's transaction; not looked at."),
      txIndex: described(integer(), "Place of the transaction in the block, from 0."),
      logIndex: described(integer(), "Place of the log among the transaction's, from 0."),
    }),
    "LogIdInput",
    "Where a log is.",
  ),
  (id) => {
    if (id.blockNumber < 1) throw new ExecutionError(`Invalid block number: ${id.blockNumber}`);
    return id;
  },
);

/**
 * LogFilter (docs/protocol/05-rpc.md#526-logs-by-range). Blocks below 1, including negative ones, are accepted and act
 * as 1.
 */
export const logFilter = typed(
  object({
    txHash: described(absent(txHash), "Only logs of this transaction."),
    fromBlock: described(absent(integer()), "The first block; less than 1 counts as 1, which is the default."),
    toBlock: described(absent(integer()), "The block to stop before; by default there is none."),
    afterLog: described(absent(logId), "Only logs after this one."),
    contractAddress: described(absent(l2Address), "Only logs of this contract."),
    tag: described(absent(field), "Only logs whose first field is this; not for contract class logs."),
  }),
  "LogFilter",
  "Which logs are meant: those for which all of this holds.",
);

/**
 * Position of a log. The two cursor forms name its tx by index or by hash (docs/protocol/05-rpc.md#527-logs-by-tag).
 */
export interface LogCursor {
  blockNumber: number;
  tx: number | Uint8Array;
  logIndexWithinTx: number;
}

const place = integer({ least: 0 });
const cursorBlock = described(place, "The block that the log is in.");
const cursorLog = described(place, "Place of the log in the transaction, from 0.");
const cursorByIndex = object({
  blockNumber: cursorBlock,
  txIndexWithinBlock: described(place, "Place of the log's transaction in the block, from 0."),
  logIndexWithinTx: cursorLog,
});
const cursorByHash = object({
  blockNumber: cursorBlock,
  txHash: described(txHashText, "The log's transaction."),
  logIndexWithinTx: cursorLog,
});

const logCursor: Codec<LogCursor> = {
  schema: named("LogCursor", "Where a log is, as in an answer.", {
    anyOf: [cursorByIndex.schema, cursorByHash.schema],
  }),
  read(value, path, issues) {
    if (isObject(value) && value.txIndexWithinBlock !== undefined) {
      const { blockNumber, txIndexWithinBlock, logIndexWithinTx } = cursorByIndex.read(value, path, issues);
      return { blockNumber, tx: txIndexWithinBlock, logIndexWithinTx };
    }
    const read = cursorByHash.read(value, path, issues) ?? {};
    return { blockNumber: read.blockNumber, tx: read.txHash, logIndexWithinTx: read.logIndexWithinTx };
  },
};

/** A tag and the cursor after which its logs continue. */
interface TagEntry {
  tag: Uint8Array;
  afterLog: LogCursor | undefined;
}

const tagWithCursor = object({
  tag: described(fieldText, "The tag."),
  afterLog: described(optional(logCursor), "Only logs after this one; fromBlock does not count then."),
});

const tagEntry: Codec<TagEntry> = {
  schema: named("TagEntry", "A tag whose logs are asked for.", {
    anyOf: [
      about(fieldText.schema!, "The tag: siloed by its contract for private logs, as emitted for public ones."),
      about(tagWithCursor.schema!, "The tag and where to go on."),
    ],
  }),
  read: (value, path, issues) =>
    isObject(value)
      ? tagWithCursor.read(value, path, issues)
      : { tag: fieldText.read(value, path, issues), afterLog: undefined },
};

/** Most logs per tag and answer in the development namespace. */
const MAX_LOGS_PER_TAG = 20;

const tags: Codec<TagEntry[]> = {
  schema: array(tagEntry, MAX_TAGS, 1).schema,
  read: ruled(array(tagEntry, Number.POSITIVE_INFINITY, 1), ({ length }) =>
    length > MAX_TAGS ? `tags must have at most ${MAX_TAGS} entries` : undefined,
  ).read,
};

const limitPerTag: Codec<number> = {
  schema: integerSchema({ least: 1, most: MAX_LOGS_PER_TAG }),
  read: ruled(integer({ least: 1 }), (limit) =>
    limit > MAX_LOGS_PER_TAG ? `limitPerTag must be <= ${MAX_LOGS_PER_TAG}` : undefined,
  ).read,
};

const commonKeys = {
  tags: described(tags, "The tags, each of which gets an array of logs."),
  fromBlock: described(optional(place), "The first block; 1 by default."),
  toBlock: described(optional(place), "The block to stop before; by default there is none."),
  txHash: described(optional(txHashText), "Only logs of this transaction; not together with fromBlock and toBlock."),
  referenceBlock: described(optional(anchorBlock), "A block that has to be on the chain; only logs up to it."),
  includeEffects: described(optional(boolean, false), "Whether to add the transaction's note hashes and nullifiers."),
  limitPerTag: described(
    optional(limitPerTag, MAX_LOGS_PER_TAG),
    `Logs of a tag at most, ${MAX_LOGS_PER_TAG} by default.`,
  ),
};

const oneScope = ({ txHash: tx, fromBlock, toBlock }: { txHash?: Uint8Array; fromBlock?: number; toBlock?: number }) =>
  tx !== undefined && (fromBlock !== undefined || toBlock !== undefined)
    ? "`txHash` is mutually exclusive with `fromBlock`/`toBlock`"
    : undefined;

/** PrivateLogsQuery and PublicLogsQuery (docs/protocol/05-rpc.md#527-logs-by-tag). */
export const privateLogsQuery = typed(
  ruled(object(commonKeys), oneScope),
  "PrivateLogsQuery",
  "Which private logs are meant.",
);
export const publicLogsQuery = typed(
  ruled(
    object({ ...commonKeys, contractAddress: described(l2AddressText, "The contract that emitted them.") }),
    oneScope,
  ),
  "PublicLogsQuery",
  "Which public logs are meant.",
);

type Read<C> = C extends Codec<infer T> ? T : never;
export type LogFilter = Read<typeof logFilter>;
export type PrivateLogsQuery = Read<typeof privateLogsQuery>;
