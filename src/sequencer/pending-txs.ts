import { setTimeout as sleep } from "node:timers/promises";
import type { HashedTx } from "../execution/executed-tx.ts";
import type { Fr } from "../protocol/field.ts";
import type { Tx } from "../protocol/tx/tx.ts";

/** The pool as a proposer sees it (sheet 06 section 2.10). */
export interface SequencedPool {
  readonly pendingCount: number;
  /** Hashes of pending txs that came at least `minAgeMs` ago, highest priority first. */
  eligible(minAgeMs: number): Fr[];
  get(hash: Fr): Tx | undefined;
  /** Deletes txs that could not be executed. */
  remove(hashes: readonly Fr[]): void;
  /** A slot begins to be built for. */
  slotStarted(slot: number): void;
  /** Told whenever txs became pending. Returns the way to leave. */
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

/** A tx of the pool whose body is read when its turn comes, so that a block reads no more bodies than it tries. */
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

/** Txs for a block, highest priority first; reading `tx` of one throws a TxGoneError when it has left the pool. */
export function candidates(pool: SequencedPool, minAgeMs: number): HashedTx[] {
  return pool.eligible(minAgeMs).map((hash) => new PendingTx(pool, hash));
}

/** Longest sleep in a wait: the clock may be shifted while it lasts, by somebody who wakes nobody. */
const MOST_SLEEP_MS = 500;
/** Sleep while there are enough txs and the youngest only have to grow old enough. */
const AGE_SLEEP_MS = 50;

export interface TxWait {
  pool: SequencedPool;
  minTxs: number;
  minAgeMs: number;
  /** Unix milliseconds until which to wait. */
  until: number;
  now(): number;
  /** Ends the wait. */
  signal: AbortSignal;
  /** The signal that is aborted when the clock was shifted the next time. */
  woken(): AbortSignal;
}

/** Waits until enough txs can be put into a block; answers how many there are when enough are there or the time is over. */
export async function waitForTxs({ pool, minTxs, minAgeMs, until, now, signal, woken }: TxWait): Promise<number> {
  for (;;) {
    const count = minTxs === 0 ? 0 : pool.eligible(minAgeMs).length;
    const left = until - now();
    if (count >= minTxs || left <= 0 || signal.aborted) return count;
    const ageing = pool.pendingCount >= minTxs;
    const ended = AbortSignal.any([signal, woken()]);
    await arrivalOr(pool, Math.min(left, ageing ? AGE_SLEEP_MS : MOST_SLEEP_MS), ended);
  }
}

async function arrivalOr(pool: SequencedPool, milliseconds: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const leave = pool.onPending(() => over.abort());
  try {
    await sleep(milliseconds, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  } catch {
    // Woken before the time.
  } finally {
    leave();
  }
}

/** Waits until a moment of a clock that may be shifted meanwhile, or until the signal. */
export async function waitUntil(
  until: number,
  { now, signal, woken }: Pick<TxWait, "now" | "signal" | "woken">,
): Promise<void> {
  while (!signal.aborted) {
    const left = until - now();
    if (left <= 0) return;
    const ended = AbortSignal.any([signal, woken()]);
    await sleep(Math.min(left, MOST_SLEEP_MS), undefined, { signal: ended }).catch(() => {});
  }
}
