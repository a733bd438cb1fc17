import type { FoundTxs } from "../../checkpoints/proposals/proposal-txs.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { FastCollection } from "./fast-collection.ts";
import { MissingTxs } from "./missing-txs.ts";
import { PooledTx } from "./pooled-tx.ts";

/** Longest search, milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** Gathers transactions of mined blocks from the pool and the network; all are in the pool then. */
export class MinedTxs {
  readonly #pool: Pick<TxPool, "get" | "hasTx">;
  readonly #fast: Pick<FastCollection, "collect">;
  readonly #now: () => number;

  /** `now` is in Unix milliseconds. */
  constructor(pool: Pick<TxPool, "get" | "hasTx">, fast: Pick<FastCollection, "collect">, now: () => number) {
    this.#pool = pool;
    this.#fast = fast;
    this.#now = now;
  }

  /** Searches until all are found or `signal` is aborted. `archive` is the archive root after the block. */
  async get(
    { number, hashes, archive }: { number: number; hashes: readonly Uint8Array[]; archive: Uint8Array },
    signal: AbortSignal,
  ): Promise<FoundTxs> {
    const pool = this.#pool;
    const missing = new MissingTxs(hashes.filter((hash) => !pool.hasTx(hash)));
    if (missing.size > 0) {
      const deadline = this.#now() + MAX_MS;
      const purpose = { minedBlock: number };
      await this.#fast.collect({ purpose, hashes, missing, archive, peer: undefined, deadline }, signal);
      for (const hash of missing.hashes()) if (pool.hasTx(hash)) missing.found(hash);
    }
    return {
      txs: hashes.filter((hash) => !missing.has(hash)).map((hash) => new PooledTx(pool, hash)),
      missing: missing.hashes(),
    };
  }
}
