import type { FeeReader } from "../l1/types.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";

/** For comparison: the network's own nodes ask L1 for its latest block once a second. */
const DEFAULT_MAX_AGE_MS = 250;

interface RecentFeesOptions {
  maxAgeMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?(): number;
}

interface RecentFees extends Pick<FeeReader, "currentMinFees"> {
  /** The last fees that were read; undefined before. */
  known(): GasFees | undefined;
}

/**
 * Caches a reader's current min fees for `maxAgeMs`, so that checking a tx does not cost a request to L1. Failed reads
 * are not cached.
 */
export function recentFees(
  reader: Pick<FeeReader, "currentMinFees">,
  { maxAgeMs = DEFAULT_MAX_AGE_MS, now = () => performance.now() }: RecentFeesOptions = {},
): RecentFees {
  let known: GasFees | undefined;
  let asked: Promise<GasFees> | undefined;
  let until = 0;
  return {
    async currentMinFees() {
      if (asked === undefined || now() >= until) {
        const own = reader.currentMinFees();
        asked = own;
        until = now() + maxAgeMs;
        own.catch(() => {
          if (asked === own) asked = undefined;
        });
      }
      known = await asked;
      return { ...known };
    },
    known: () => known,
  };
}
