import type { Logger } from "../telemetry/logger.ts";
import type { Store } from "./store.ts";
import type { StoreReader } from "./store-readers.ts";

const LOOK_MS = 10_000;
/** The longest read takes some seconds: a copy of a large store is taken by a process that the writer started. */
const STILL_MS = 60_000;

interface Seen {
  since: number;
  behind: number;
  warned: boolean;
}

/**
 * Looks at the readers of a store that other processes may have open. Removes those of ended processes, and warns of
 * one that stands still: LMDB cannot use pages again that its snapshot has, so the store grows.
 */
export class ReaderWatch {
  readonly #store: Pick<Store, "readers">;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  /** When a reader was first seen with its snapshot, and the commits behind it then. */
  #seen = new Map<string, Seen>();

  /** `now` gives milliseconds. */
  constructor(store: Pick<Store, "readers">, log: Logger, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    const seen = new Map<string, Seen>();
    for (const reader of this.#store.readers()) {
      const { pid, behind } = reader;
      if (behind === 0) continue;
      const key = `${pid} ${reader.thread}`;
      const before = this.#seen.get(key);
      // A snapshot falls behind and never catches up: a smaller distance is that of another one.
      const same = before !== undefined && behind >= before.behind ? before : undefined;
      const warned = this.#warn(reader, now - (same?.since ?? now), same?.warned ?? false);
      seen.set(key, { since: same?.since ?? now, behind, warned });
    }
    this.#seen = seen;
  }

  #warn({ pid, behind }: StoreReader, stillMs: number, warned: boolean): boolean {
    if (stillMs < STILL_MS || warned) return warned;
    const facts = { pid, commits: behind, seconds: Math.round(stillMs / 1_000) };
    this.#log.warn(
      facts,
      "process {pid} has read one snapshot of the store for {seconds} s: the store grows until it reads on or is killed",
    );
    return true;
  }
}
