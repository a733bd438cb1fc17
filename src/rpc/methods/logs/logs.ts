import { toHex } from "../../../protocol/bytes.ts";
import { array, optional } from "../../codecs/json/codec.ts";
import { field, l2Address } from "../../codecs/json/field.ts";
import { wholeNumber } from "../../codecs/json/number.ts";
import { encodeContractClassLogs, encodePublicLogs, encodeScopedLogs } from "../../codecs/release/logs.ts";
import { type LogFilter, logFilter, MAX_TAGS } from "../../codecs/shared/log-query.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** Logs of a tag per page. */
const PAGE = 10;
/** Searches of up to this many tags and pages are not long calls. */
const FEW_TAGS = 8;
const FIRST_PAGES = 10;

function isLongSearch(tags: number, page: number): boolean {
  return tags > FEW_TAGS || page > FIRST_PAGES;
}

/** Most logs per answer, by default. */
const MAX_LOGS = 1000;

/** Limits of the public methods that an operator sets. */
export interface PublicLimits {
  /** Most logs of one answer about a range of blocks; 1,000 by default. */
  maxLogs?: number;
}

/** Logs by block range and by tag in the release's form (docs/protocol/05-rpc.md#526-logs-by-range). */
export function logMethods(
  { chain, content }: Pick<NodeServices, "chain" | "content">,
  { maxLogs = MAX_LOGS }: PublicLimits = {},
): Method[] {
  const tagsParam = param(
    "tags",
    array(field, MAX_TAGS),
    "The tags: siloed ones of private logs, plain ones of public logs.",
  );
  const pageParam = param("page", optional(wholeNumber({ least: 0 }), 0), "The page of each tag's logs, from 0.");
  const referenceParam = param("referenceBlock", optional(field), "Hash of a block that has to be on the chain.");

  const notFound = (hash: Uint8Array) =>
    new ExecutionError(`Block ${toHex(hash)} not found in the node. This might indicate a reorg has occurred.`);
  const checkReference = (hash: Uint8Array | undefined) => {
    if (hash !== undefined && chain.blockNumberByHash(hash) === undefined) throw notFound(hash);
  };
  /** Results to skip and to return for a page. */
  const pageRange = (page: number) => {
    const skip = Math.min(page * PAGE, Number.MAX_SAFE_INTEGER);
    return { skip, limit: PAGE };
  };
  /** A cursor of a block that is not on the chain would silently go on in another one. */
  const checkCursor = ({ afterLog }: LogFilter) => {
    if (afterLog === undefined || chain.blockNumberByHash(afterLog.blockHash) === afterLog.blockNumber) return;
    throw notFound(afterLog.blockHash);
  };
  const range = ({ afterLog, ...filter }: LogFilter) => ({ ...filter, after: afterLog, limit: maxLogs });
  /** A range that ends before it begins counts as truncated. */
  const isReversed = ({ fromBlock = 1, toBlock, afterLog }: LogFilter) =>
    toBlock !== undefined && toBlock < Math.max(afterLog?.blockNumber ?? fromBlock, 1);
  const cutOff = { logs: [], maxLogsHit: true };

  return [
    method({
      name: "getPublicLogs",
      summary: "Public logs in a range of blocks, by contract and tag",
      params: [param("filter", logFilter)],
      handle: (filter) => {
        checkCursor(filter);
        return isReversed(filter) ? cutOff : content.publicLogs(range(filter));
      },
      long: () => true,
      encode: { node: encodePublicLogs },
    }),
    method({
      name: "getContractClassLogs",
      summary: "Contract class logs in a range of blocks, by contract",
      params: [param("filter", logFilter)],
      handle: (filter) => {
        checkCursor(filter);
        return isReversed(filter) ? cutOff : content.contractClassLogs(range(filter));
      },
      long: () => true,
      encode: { node: encodeContractClassLogs },
    }),
    method({
      name: "getPrivateLogsByTags",
      summary: "Private logs by siloed tag, one array per tag, ten per page",
      params: [tagsParam, pageParam, referenceParam],
      handle: (tags, page, reference) => {
        checkReference(reference);
        return tags.map((tag) => content.privateLogsByTag(tag, pageRange(page)));
      },
      long: (tags, page) => isLongSearch(tags.length, page),
      encode: { node: encodeScopedLogs },
    }),
    method({
      name: "getPublicLogsByTagsFromContract",
      summary: "Public logs of a contract by tag, one array per tag, ten per page",
      params: [param("contractAddress", l2Address), tagsParam, pageParam, referenceParam],
      handle: (contract, tags, page, reference) => {
        checkReference(reference);
        return tags.map((tag) => content.publicLogsByTag(contract, tag, pageRange(page)));
      },
      long: (_contract, tags, page) => isLongSearch(tags.length, page),
      encode: { node: encodeScopedLogs },
    }),
  ];
}
