import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { TakesTxs } from "./collected-txs.ts";
import { takeMissing } from "./collection-request.ts";
import type { FastCollection } from "./fast-collection.ts";
import { MissingTxs } from "./missing-txs.ts";
import { PooledTx } from "./pooled-tx.ts";
import type { FoundTxs, TxProvider, WantedTxs } from "./tx-provider.ts";

/** Is told where the txs of a proposed block came from. */
export interface ProvidedTxsRecord {
  /** `ms` is how long the missing ones were looked for; undefined if the pool had all. */
  provided(txs: { total: number; pooled: number; embedded: number; missing: number; ms: number | undefined }): void;
}

interface ProviderParts {
  pool: Pick<TxPool, "get" | "protect" | "status">;
  collected: TakesTxs;
  fast: Pick<FastCollection, "collect">;
  /** For metrics. */
  record?: ProvidedTxsRecord;
  /** Called when the pool lacks txs of a proposed block. */
  missed?(): void;
}

/**
 * Transactions of a proposed block from the pool, from the proposal, and from the network; all are in the pool then,
 * protected until the slot is over (docs/protocol/10-peers.md#1015-collecting-transactions).
 */
export class CollectingTxProvider implements TxProvider {
  readonly #parts: ProviderParts;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
  }

  async get({ hashes, archive, slot, peer, embedded, deadline, signal }: WantedTxs): Promise<FoundTxs> {
    const { pool, collected, fast, record, missed } = this.#parts;
    const missing = new MissingTxs(pool.protect(hashes, slot));
    const pooled = hashes.length - missing.size;
    const began = performance.now();
    let fromProposal = 0;
    const purpose = { proposalOfSlot: slot };
    if (missing.size > 0) {
      missed?.();
      const request = { purpose, hashes, missing, archive, peer, deadline };
      const [taken] = await Promise.all([takeMissing(collected, request, embedded), fast.collect(request, signal)]);
      fromProposal = taken.added.length;
    }
    for (const hash of missing.hashes()) if (pool.status(hash) !== undefined) missing.found(hash);
    const ms = pooled === hashes.length ? undefined : performance.now() - began;
    record?.provided({ total: hashes.length, pooled, embedded: fromProposal, missing: missing.size, ms });
    return {
      txs: hashes.filter((hash) => !missing.has(hash)).map((hash) => new PooledTx(pool, hash)),
      missing: missing.hashes(),
    };
  }
}
