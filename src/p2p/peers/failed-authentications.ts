import { dropOldest } from "../../storage/drop-oldest.ts";

const REMEMBERED_FOR_MS = 60 * 60_000;
const MAX_ENTRIES = 20_000;

interface Failures {
  count: number;
  /** Unix milliseconds. */
  lastAt: number;
}

/** Counts failed authentications by peer id and by IP address, for an hour after the last one. */
export class FailedAuthentications {
  readonly #failures = new Map<string, Failures>();
  readonly #allowed: number;
  readonly #now: () => number;

  constructor(allowed: number, now: () => number) {
    this.#allowed = allowed;
    this.#now = now;
  }

  /** `who` is a peer id or an IP address. */
  add(who: string): void {
    const count = (this.#failures.get(who)?.count ?? 0) + 1;
    this.#failures.delete(who);
    this.#failures.set(who, { count, lastAt: this.#now() });
    dropOldest(this.#failures, MAX_ENTRIES);
  }

  clear(who: string): void {
    this.#failures.delete(who);
  }

  isRefused(who: string): boolean {
    const failures = this.#failures.get(who);
    if (failures === undefined) return false;
    if (this.#now() - failures.lastAt <= REMEMBERED_FOR_MS) return failures.count > this.#allowed;
    this.#failures.delete(who);
    return false;
  }
}
