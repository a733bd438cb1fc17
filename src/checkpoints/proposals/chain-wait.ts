import { setTimeout as sleep } from "node:timers/promises";

export interface AwaitedChain {
  /** Asks for a look at L1 now. */
  poke(): void;
  /** Calls the listener when blocks were added to the chain. Returns an unsubscribe function. */
  onBlocksAdded(listener: () => void): () => void;
}

/** Pause between two looks at the chain while a proposal waits for it. */
const POLL_MS = 500;

/** Waits of proposals for L1 or for blocks that they refer to. */
export class ChainWait {
  readonly #sync: AwaitedChain;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  /** Time of performance.now(). */
  #nextPoke = 0;

  /** `now` gives Unix milliseconds. */
  constructor(sync: AwaitedChain, now: () => number) {
    this.#sync = sync;
    this.#now = now;
  }

  /** Aborted once the waits have been stopped. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Ends all waits at once. */
  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Waits until a condition holds, which is looked at when blocks come and twice a second, or until the deadline (Unix
   * milliseconds). Returns whether it holds.
   */
  async until(holds: () => boolean, deadline: number): Promise<boolean> {
    const { signal } = this.#stopping;
    while (!holds()) {
      const left = deadline - this.#now();
      if (left <= 0 || signal.aborted) return false;
      this.#poke();
      const woken = new AbortController();
      const unsubscribe = this.#sync.onBlocksAdded(() => woken.abort());
      const ended = AbortSignal.any([woken.signal, signal]);
      await sleep(Math.min(POLL_MS, left), undefined, { signal: ended }).catch(() => undefined);
      unsubscribe();
    }
    return true;
  }

  /** Asks for a look at L1, for all waiting proposals together twice a second at most. */
  #poke(): void {
    const now = performance.now();
    if (now < this.#nextPoke) return;
    this.#nextPoke = now + POLL_MS;
    this.#sync.poke();
  }
}
