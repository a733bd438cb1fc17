import type { TxFacts } from "../digest/tx-facts.ts";
import type { Admission } from "./pool-admission.ts";
import type { Bidding } from "./pre-add-rules.ts";
import type { TxPool } from "./tx-pool.ts";

/** Txs per commit; each has at most 512 KiB. */
const MAX_TOGETHER = 32;

interface Waiting {
  facts: TxFacts;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/**
 * Adds txs to the pool. Those that are given in one turn of the event loop share a commit, as do those that come before
 * `intervalMs` have passed since the last one: each commit waits for the disk.
 */
export class SharedCommits {
  readonly #pool: Pick<TxPool, "add">;
  readonly #bidding: Bidding;
  readonly #intervalMs: number;
  #waiting: Waiting[] = [];
  #scheduled = false;
  /** Milliseconds of performance.now() when the last commit ended. */
  #last = Number.NEGATIVE_INFINITY;

  constructor(pool: Pick<TxPool, "add">, bidding: Bidding, intervalMs = 0) {
    this.#pool = pool;
    this.#bidding = bidding;
    this.#intervalMs = intervalMs;
  }

  /** Rejects with any error of storing the tx. */
  add(facts: TxFacts): Promise<Admission> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ facts, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    const early = this.#last + this.#intervalMs - performance.now();
    if (early > 0) setTimeout(() => this.#next(), early);
    else setImmediate(() => this.#next());
  }

  #next(): void {
    this.#scheduled = false;
    this.#flush(this.#waiting.splice(0, MAX_TOGETHER));
    this.#last = performance.now();
    this.#schedule();
  }

  #flush(batch: readonly Waiting[]): void {
    try {
      const admissions = this.#pool.add(
        batch.map(({ facts }) => facts),
        this.#bidding,
      );
      for (const [i, { resolve }] of batch.entries()) resolve(admissions[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
