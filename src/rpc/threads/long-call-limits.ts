import type { LongCalls, ReadRequest } from "../calls/long-calls.ts";
import { LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import { clientNetwork } from "../limits/client-address.ts";

/**
 * Long calls that may wait for a thread, of all clients and of one; one takes some milliseconds to some tenths of a
 * second.
 */
export const MAX_WAITING = 256;
export const MAX_WAITING_PER_CLIENT = 128;
/** Long calls of one client that a thread passes on: those that may wait, and some that run. */
const MAX_PER_CLIENT = MAX_WAITING_PER_CLIENT + 4;

export function tooManyLongCalls(cause?: unknown): RpcError {
  return new RpcError(LIMIT_EXCEEDED, "The node is busy: too many long calls are waiting", { cause });
}

/**
 * Refuses the calls of a client that has too many under way on the thread where they arrive, so that they cost the
 * node's thread, which imports blocks, nothing.
 */
export class LimitedLongCalls implements LongCalls {
  readonly #longCalls: LongCalls;
  readonly #underWay = new Map<string, number>();

  constructor(longCalls: LongCalls) {
    this.#longCalls = longCalls;
  }

  async answer(body: Uint8Array, address: string, signal?: AbortSignal): Promise<ReadRequest> {
    const client = clientNetwork(address);
    const underWay = this.#underWay.get(client) ?? 0;
    if (underWay >= MAX_PER_CLIENT) throw tooManyLongCalls();
    this.#underWay.set(client, underWay + 1);
    try {
      return await this.#longCalls.answer(body, address, signal);
    } finally {
      const left = this.#underWay.get(client)! - 1;
      if (left > 0) this.#underWay.set(client, left);
      else this.#underWay.delete(client);
    }
  }
}
