import type { AllStatistics, SingleStatistics } from "../../protocol/slashing/validator-statistics.ts";
import type { Eventually } from "./eventually.ts";

/** How validators did their duties (docs/protocol/05-rpc.md#531-validators). */
export interface ValidatorStats {
  all(): Eventually<AllStatistics>;
  /** Throws an ExecutionError for a range wider than the history. */
  of(
    validator: Uint8Array,
    fromSlot: number | undefined,
    toSlot: number | undefined,
  ): Eventually<SingleStatistics | undefined>;
}
