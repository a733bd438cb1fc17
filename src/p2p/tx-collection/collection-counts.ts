import type { TakesTxs } from "./collected-txs.ts";

/** How missing txs came, as the release names it. */
export const COLLECTION_METHODS = [
  "fast-req-resp",
  "fast-node-rpc",
  "slow-req-resp",
  "slow-node-rpc",
  "file-store",
] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

/** Counts the txs that were collected since the start. */
export class CollectionCounts {
  readonly byMethod: Record<CollectionMethod, number> = {
    "fast-req-resp": 0,
    "fast-node-rpc": 0,
    "slow-req-resp": 0,
    "slow-node-rpc": 0,
    "file-store": 0,
  };

  /** Counts the txs that `collected` takes by a method. */
  counted(collected: TakesTxs, method: CollectionMethod): TakesTxs {
    return {
      take: async (txs, purpose) => {
        const intake = await collected.take(txs, purpose);
        this.byMethod[method] += intake.added.length;
        return intake;
      },
    };
  }
}
