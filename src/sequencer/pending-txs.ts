import { setTimeout as sleep } from "node:timers/promises";
import type { HashedTx } from "../execution/executed-tx.ts";
import type { Fr } from "../protocol/field.ts";
import type { Tx } from "../protocol/tx/tx.ts";

/** The pool as a proposer sees it (docs/protocol/07-transactions-and-fees.md#726-what-a-proposer-takes). */
export interface SequencedPool {
  readonly pendingCount: number;
  /** Hashes of pending txs that arrived at least `minAgeMs` ago, highest priority first. */
  eligible(minAgeMs: number): Fr[];
  get(hash: Fr): Tx | undefined;
  /** Deletes txs that could not be executed. */
  remove(hashes: readonly Fr[]): void;
  /** Called when building for a slot begins. */
  slotStarted(slot: number): void;
  /** The listener is called whenever txs become pending. Returns an unsubscribe function. */
  onPending(listener: () => void): () => void;
}

/** A pending tx left the pool before its turn came. */
export class TxGoneError extends Error {
  readonly hash: Fr;

  constructor(hash: Fr) {
    super("the tx left the pool before it was executed");
    this.name = "TxGoneError";
    this.hash = hash;
  }
}

/** A tx of the pool whose body is read only when it is about to be executed. */
class PendingTx implements HashedTx {
  readonly hash: Fr;
  readonly #pool: Pick<SequencedPool, "get">;
  #tx: Tx | undefined;

  constructor(pool: Pick<SequencedPool, "get">, hash: Fr) {
    this.#pool = pool;
    this.hash = hash;
  }

  get tx(): Tx {
    this.#tx ??= this.#pool.get(this.hash);
    if (this.#tx === undefined) throw new TxGoneError(this.hash);
    return this.#tx;
  }
}

/**
 * Candidate txs for a block, highest priority first. Reading `tx` throws a TxGoneError when the tx has left the pool.
 */
export function candidates(pool: SequencedPool, minAgeMs: number): HashedTx[] {
  return pool.eligible(minAgeMs).map((hash) => new PendingTx(pool, hash));
}

/** Longest sleep within a wait: the clock may be shifted without a call to wake(). */
const MAX_SLEEP_MS = 500;
/** Sleep while there are enough txs but some are younger than the minimum age. */
const AGE_SLEEP_MS = 50;

interface TxWait {
  pool: SequencedPool;
  minTxs: number;
  minAgeMs: number;
  /** When the wait ends, in Unix milliseconds. */
  until: number;
  now(): number;
  /** Ends the wait. */
  signal: AbortSignal;
  /** A signal that aborts when the clock is next shifted. */
  woken(): AbortSignal;
}

/** Waits until there are enough eligible txs or the time is over. Returns how many there are. */
export async function waitForTxs({ pool, minTxs, minAgeMs, until, now, signal, woken }: TxWait): Promise<number> {
  for (;;) {
    const count = minTxs === 0 ? 0 : pool.eligible(minAgeMs).length;
    const left = until - now();
    if (count >= minTxs || left <= 0 || signal.aborted) return count;
    const ageing = pool.pendingCount >= minTxs;
    const ended = AbortSignal.any([signal, woken()]);
    await sleepUntilArrival(pool, Math.min(left, ageing ? AGE_SLEEP_MS : MAX_SLEEP_MS), ended);
  }
}

async function sleepUntilArrival(pool: SequencedPool, milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const unsubscribe = pool.onPending(() => over.abort());
  try {
    await sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  } catch {
    // Woken early.
  } finally {
    unsubscribe();
  }
}

/** Waits until a time of a clock that may be shifted meanwhile, or until the signal aborts. */
export async function waitUntil(
  until: number,
  { now, signal, woken }: Pick<TxWait, "now" | "signal" | "woken">,
): Promise<void> {
  while (!signal.aborted) {
    const left = until - now();
    if (left <= 0) return;
    const ended = AbortSignal.any([signal, woken()]);
    await sleep(Math.min(left, MAX_SLEEP_MS), undefined, { signal: ended }).catch(() => {});
  }
}
