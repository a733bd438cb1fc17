import { setTimeout as sleep } from "node:timers/promises";
import { mapKey } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { TakesTxs } from "./collected-txs.ts";
import { type CollectionRequest, takeMissing } from "./collection-request.ts";
import type { NodeTxSource } from "./node-source.ts";

/** How nodes are asked. */
interface NodeRequestOptions {
  /** After which a node is asked again. */
  intervalMs: number;
  /** To one node. */
  parallelRequests: number;
  /** Txs per request. */
  batchSize: number;
}

interface NodeCollectionParts {
  nodes: readonly Pick<NodeTxSource, "name" | "txsByHash">[];
  collected: TakesTxs;
  logger: Logger;
}

/**
 * Asks all configured nodes for a request's missing txs, again and again, those first that were asked for least
 * (docs/protocol/10-peers.md#1015-collecting-transactions). Ends when nothing is missing or `signal` aborts.
 */
export async function collectFromNodes(
  { nodes, collected, logger }: NodeCollectionParts,
  { intervalMs, parallelRequests, batchSize }: NodeRequestOptions,
  request: CollectionRequest,
  signal: AbortSignal,
): Promise<void> {
  const asked = new Map<string, number>();
  const { missing } = request;
  const loop = async (node: NodeCollectionParts["nodes"][number], inFlight: Set<string>): Promise<void> => {
    while (missing.size > 0 && !signal.aborted) {
      const batch = missing
        .hashes()
        .filter((hash) => !inFlight.has(mapKey(hash)))
        .sort((a, b) => (asked.get(mapKey(a)) ?? 0) - (asked.get(mapKey(b)) ?? 0))
        .slice(0, batchSize);
      if (batch.length > 0) {
        const keys = batch.map(mapKey);
        for (const key of keys) {
          inFlight.add(key);
          asked.set(key, (asked.get(key) ?? 0) + 1);
        }
        try {
          await takeMissing(collected, request, await node.txsByHash(batch, signal));
        } catch (error) {
          if (!signal.aborted) logger.debug({ node: node.name, err: String(error) }, "node {node} gives no txs");
        }
        for (const key of keys) inFlight.delete(key);
      }
      if (missing.size > 0) {
        await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
      }
    }
  };
  const useful = Math.min(parallelRequests, Math.ceil(missing.size / batchSize));
  const loops = nodes.flatMap((node) => {
    const inFlight = new Set<string>();
    return Array.from({ length: useful }, () => loop(node, inFlight));
  });
  await Promise.all(loops);
}
