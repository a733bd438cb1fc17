import { ExecutionError } from "../../rpc/jsonrpc/errors.ts";
import type { ValidatorStats } from "../../rpc/ports/validator-stats.ts";
import type { Sentinel } from "../../slasher/sentinel/sentinel.ts";
import { SlotRangeError } from "../../slasher/sentinel/slot-range-error.ts";

/** The sentinel's record for the JSON-RPC methods. */
export function validatorStats(sentinel: Pick<Sentinel, "all" | "of">): ValidatorStats {
  return {
    all: () => sentinel.all(),
    of(validator, fromSlot, toSlot) {
      try {
        return sentinel.of(validator, fromSlot, toSlot);
      } catch (error) {
        throw error instanceof SlotRangeError ? new ExecutionError(error.message) : error;
      }
    },
  };
}
