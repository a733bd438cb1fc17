import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { Caller } from "../ports/caller.ts";

/** Answers calls of methods that threw a LiveServiceNeeded. */
export interface Forwarder {
  /**
   * `request` is the JSON text of one call. The answer is that of the node that was asked. Rejects with an RpcError
   * when there is none.
   */
  forward(method: string, request: Uint8Array | string, caller: Caller | undefined): Promise<RpcAnswer>;
}
