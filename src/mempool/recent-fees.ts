import type { FeeReader } from "../l1/types.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";

/** The network's own nodes ask L1 for its latest block once a second. */
const DEFAULT_MAX_AGE_MS = 250;

export interface RecentFeesOptions {
  maxAgeMs?: number;
  /** Milliseconds of a clock that never goes back. */
  now?(): number;
}

/**
 * The current min fees of a reader, asked for at most once in `maxAgeMs`: what a tx costs to check should not be a question to L1. What
 * could not be read is asked for again.
 */
export function recentFees(
  reader: Pick<FeeReader, "currentMinFees">,
  { maxAgeMs = DEFAULT_MAX_AGE_MS, now = () => performance.now() }: RecentFeesOptions = {},
): Pick<FeeReader, "currentMinFees"> {
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
      return { ...(await asked) };
    },
  };
}
