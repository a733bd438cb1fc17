import { fromHex } from "../../protocol/bytes.ts";
import type { Slasher as SlasherAnswers } from "../../rpc/admin/ports/slasher.ts";
import { ExecutionError } from "../../rpc/jsonrpc/errors.ts";
import { NoSlashPayloadsError, type Slasher } from "../../slasher/slasher.ts";

/** Offenses and slash payloads for the admin methods. */
export function slasherAnswers(slasher: Pick<Slasher, "offenses" | "payloads">): SlasherAnswers {
  return {
    offenses: (round) => slasher.offenses(round),
    async payloads() {
      try {
        return (await slasher.payloads()).map(({ address, slashes, timestamp, votes, round }) => ({
          address: fromHex(address),
          slashes: slashes.map(({ validator, ...slash }) => ({ validator: fromHex(validator), ...slash })),
          timestamp: BigInt(timestamp),
          votes: BigInt(votes),
          round: BigInt(round),
        }));
      } catch (error) {
        throw error instanceof NoSlashPayloadsError ? new ExecutionError(error.message) : error;
      }
    },
  };
}
