import { type ChainReads, type ChainReadsOptions, openChainReads } from "../../archiver/chain-reads.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { equal } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import { readStatusRow, STATUS_BYTES } from "../../world-state/tables/status-row.ts";
import { openTables, type WorldStateTables } from "../../world-state/tables/tables.ts";
import { ResultCache } from "../cache/result-cache.ts";
import { Consistency } from "../calls/consistency.ts";

/** What a thread needs to answer from the chain store. Plain data: it crosses threads. */
export interface RpcReadsOptions extends Omit<ChainReadsOptions, "epochDuration"> {
  identity: RollupIdentity;
  /** See PublicLimits. */
  maxLogs?: number;
}

/** Keeps the texts of results read from a store, in one thread. */
export function resultCache({ store, chain }: Pick<ChainReads, "store" | "chain">, maxBytes: number): ResultCache {
  const seen = new ChangedStatus(store);
  return new ResultCache({
    maxBytes,
    chain: {
      // A commit is counted a moment after it can be read, and one of another process some milliseconds after.
      version: () => store.version() + (store.current() === undefined ? seen.changes() : seen.count),
      latestBlockNumber: () => chain.latestBlockNumber(),
      blockHash: (number) => chain.block(number)?.hash,
    },
  });
}

/** Counts changes of the tip as reads find it, whether or not their commit has been counted. */
class ChangedStatus {
  readonly #tables: WorldStateTables;
  #last = new Uint8Array(STATUS_BYTES);
  #next = new Uint8Array(STATUS_BYTES);
  count = 0;

  constructor(store: Store) {
    this.#tables = openTables(store);
  }

  changes(): number {
    readStatusRow(this.#tables, this.#next);
    if (equal(this.#last, this.#next)) return this.count;
    [this.#last, this.#next] = [this.#next, this.#last];
    return ++this.count;
  }
}

/** What an answer says about the blocks that it was read at. */
export function consistencyOf(
  results: ResultCache,
  { store, chain }: Pick<ChainReads, "store" | "chain">,
  waitMs: number,
): Consistency {
  const blockHash = (number: number) => chain.block(number)?.hash;
  return new Consistency({ tip: () => results.tip(), blockHash, commits: store }, { waitMs });
}

/** The store has to be open in this process already. */
export function openRpcReads({ identity, maxLogs: _, ...options }: RpcReadsOptions): ChainReads {
  return openChainReads({ ...options, epochDuration: identity.constants.epochDuration });
}
