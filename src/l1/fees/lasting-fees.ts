import { setTimeout as sleep } from "node:timers/promises";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { ManaUsage } from "../../protocol/fees/predicted-min-fees.ts";
import { L1Error, StaleFeesError } from "../errors.ts";
import type { FeeReader } from "../types.ts";

interface LastingFeesOptions {
  /** Maximum age of the cached fees that are returned while L1 gives no newer ones. */
  maxAgeMs?: number;
  /** Time to wait for L1 before the cached fees are returned. */
  patienceMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
}

/** One L1 slot. Fees change with L1 blocks, so a value of this age belongs to the latest L1 block or the one before. */
const MAX_AGE_MS = 12_000;
const PATIENCE_MS = 1_000;

const FALLBACK = Symbol("fallback");

/** Caches the last value read, and returns it while a newer one is not available. */
class LastingValue<T> {
  readonly #options: Required<LastingFeesOptions>;
  #last: { value: T; at: number } | undefined;

  constructor(options: Required<LastingFeesOptions>) {
    this.#options = options;
  }

  /** Rejects with the error of `read` if the cached value is too old. */
  async get(read: () => Promise<T>): Promise<T> {
    const { patienceMs } = this.#options;
    const asked = this.#current(read);
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

  /** An L1 that answered too late answers again, so it is asked once more. */
  #current(read: () => Promise<T>): Promise<T> {
    return this.#remembered(read()).catch((error: unknown) => {
      if (error instanceof StaleFeesError) return this.#remembered(read());
      throw error;
    });
  }

  /** The age of a value counts from the request for it. Rejects with a StaleFeesError if it is too old by then. */
  async #remembered(read: Promise<T>): Promise<T> {
    const { now, maxAgeMs } = this.#options;
    const at = now();
    const value = await read;
    if (this.#last === undefined || at >= this.#last.at) this.#last = { value, at };
    const ageMs = now() - at;
    if (ageMs >= maxAgeMs) throw new StaleFeesError(ageMs, maxAgeMs);
    return value;
  }
}

/**
 * Wraps a fee reader: while L1 fails or is slow, returns cached fees up to their maximum age. After that it throws the
 * reader's errors.
 */
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
