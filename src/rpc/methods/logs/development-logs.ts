import type { TaggedLog, TagRange } from "../../../archiver/content-types.ts";
import type { LogPosition } from "../../../archiver/tables/log-keys.ts";
import { toHex } from "../../../protocol/bytes.ts";
import { encodeLogResults } from "../../codecs/development/logs.ts";
import {
  type LogCursor,
  type PrivateLogsQuery,
  privateLogsQuery,
  publicLogsQuery,
} from "../../codecs/shared/log-query.ts";
import { ExecutionError } from "../../jsonrpc/errors.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** Answers of up to this many logs are not long calls. */
const FEW_LOGS = 80;

function isLong({ tags, limitPerTag }: PrivateLogsQuery): boolean {
  return tags.length * limitPerTag > FEW_LOGS;
}

/** Logs by tag in the development form (docs/protocol/05-rpc.md#527-logs-by-tag). */
export function developmentLogMethods({ chain, content }: Pick<NodeServices, "chain" | "content">): Method[] {
  const notOnChain = (what: string, hash: Uint8Array) =>
    new ExecutionError(`${what} ${toHex(hash)} not found in the node. This might indicate a reorg has occurred.`);

  const positionOf = ({ blockNumber, tx, logIndexWithinTx }: LogCursor): LogPosition => {
    if (typeof tx === "number") return { blockNumber, txIndexInBlock: tx, logIndexWithinTx };
    const settled = content.settledTx(tx);
    if (settled?.blockNumber !== blockNumber) throw notOnChain("Tx of a log cursor", tx);
    return { blockNumber, txIndexInBlock: settled.txIndexInBlock, logIndexWithinTx };
  };
  /** Exclusive end of the searched blocks. */
  const endOf = ({ toBlock, referenceBlock }: PrivateLogsQuery): number | undefined => {
    if (referenceBlock === undefined) return toBlock;
    const reference = chain.blockNumberByHash(referenceBlock);
    if (reference === undefined) throw notOnChain("Reference block", referenceBlock);
    return Math.min(toBlock ?? Number.POSITIVE_INFINITY, reference + 1);
  };
  const search = (query: PrivateLogsQuery, find: (tag: Uint8Array, range: TagRange) => TaggedLog[]) => {
    const toBlock = endOf(query);
    const { fromBlock, txHash, limitPerTag: limit, includeEffects } = query;
    const byTag = query.tags.map(({ tag, afterLog }) => {
      // The cursor takes precedence over the first block: it is never earlier.
      if (afterLog !== undefined) return find(tag, { after: positionOf(afterLog), toBlock, txHash, limit });
      return find(tag, { fromBlock, toBlock, txHash, limit });
    });
    return { byTag, includeEffects };
  };

  return [
    method({
      name: "getPrivateLogsByTags",
      summary: "Private logs by siloed tag, one array per tag",
      params: [param("query", privateLogsQuery)],
      handle: (query) => search(query, (tag, range) => content.privateLogsByTag(tag, range)),
      long: isLong,
      encode: { svc: encodeLogResults },
    }),
    method({
      name: "getPublicLogsByTags",
      summary: "Public logs of a contract by tag, one array per tag",
      params: [param("query", publicLogsQuery)],
      handle: (query) => search(query, (tag, range) => content.publicLogsByTag(query.contractAddress, tag, range)),
      long: isLong,
      encode: { svc: encodeLogResults },
    }),
  ];
}
