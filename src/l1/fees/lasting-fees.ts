import { setTimeout as sleep } from "node:timers/promises";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { ManaUsage } from "../../protocol/fees/predicted-min-fees.ts";
import { L1Error } from "../errors.ts";
import type { FeeReader } from "../types.ts";

export interface LastingFeesOptions {
  /** Age up to which fees are given when L1 does not tell newer ones. */
  maxAgeMs?: number;
  /** Time that L1 has for an answer while there is an older one. */
  patienceMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?(): number;
}

/** An L1 slot: fees follow L1's blocks, so a value of this age is that of the latest L1 block or the one before. */
const MAX_AGE_MS = 12_000;
const PATIENCE_MS = 1_000;

const FALLBACK = Symbol("fallback");

/** The last value that was read, given in place of a newer one that cannot be had. */
class LastingValue<T> {
  readonly #options: Required<LastingFeesOptions>;
  #last: { value: T; at: number } | undefined;

  constructor(options: Required<LastingFeesOptions>) {
    this.#options = options;
  }

  /** Rejects with what `read` does, when the last value is too old. */
  async get(read: () => Promise<T>): Promise<T> {
    const { patienceMs } = this.#options;
    const asked = this.#remembered(read());
    if (this.#recent() === undefined) return await asked;
    const over = new AbortController();
    const first = await Promise.race([
      asked.catch((error: unknown) => {
        if (error instanceof L1Error) return FALLBACK;
        throw error;
      }),
      sleep(patienceMs, FALLBACK, { signal: over.signal, ref: false }).catch(() => FALLBACK),
    ]).finally(() => over.abort());
    return first === FALLBACK ? (this.#recent() ?? (await asked)) : (first as T);
  }

  #recent(): T | undefined {
    const { now, maxAgeMs } = this.#options;
    return this.#last !== undefined && now() - this.#last.at < maxAgeMs ? this.#last.value : undefined;
  }

  /** A value is as old as the question for it. */
  async #remembered(read: Promise<T>): Promise<T> {
    const at = this.#options.now();
    const value = await read;
    if (this.#last === undefined || at >= this.#last.at) this.#last = { value, at };
    return value;
  }
}

/** Fees of a reader, which outlast failures and pauses of L1 for a bounded time. Throws as the reader does once that is over. */
export function lastingFees(
  reader: FeeReader,
  { maxAgeMs = MAX_AGE_MS, patienceMs = PATIENCE_MS, now = () => performance.now() }: LastingFeesOptions = {},
): FeeReader {
  const options = { maxAgeMs, patienceMs, now };
  const current = new LastingValue<GasFees>(options);
  const predicted = new Map<ManaUsage, LastingValue<GasFees[]>>();
  return {
    currentMinFees: async () => ({ ...(await current.get(() => reader.currentMinFees())) }),
    predictedMinFees: async (usage) => {
      const lasting = predicted.get(usage) ?? new LastingValue<GasFees[]>(options);
      predicted.set(usage, lasting);
      return (await lasting.get(() => reader.predictedMinFees(usage))).map((fees) => ({ ...fees }));
    },
  };
}
