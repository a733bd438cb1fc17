import type { HashedTx } from "../../execution/executed-tx.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

/** A transaction left the pool after it was collected. */
class CollectedTxGoneError extends Error {
  constructor(hash: Uint8Array) {
    super(`tx ${toHex(hash)} is not in the pool any more`);
    this.name = "CollectedTxGoneError";
  }
}

/** A tx of the pool whose body is read only when it is about to be executed. */
export class PooledTx implements HashedTx {
  readonly hash: Uint8Array;
  readonly #pool: Pick<TxPool, "get">;
  #tx: Tx | undefined;

  constructor(pool: Pick<TxPool, "get">, hash: Uint8Array) {
    this.#pool = pool;
    this.hash = hash;
  }

  get tx(): Tx {
    this.#tx ??= this.#pool.get(this.hash);
    if (this.#tx === undefined) throw new CollectedTxGoneError(this.hash);
    return this.#tx;
  }
}
