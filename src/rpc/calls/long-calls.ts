import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { Namespace } from "../registry/registry.ts";

/**
 * Runs slow calls on low-priority threads, each with its own reader of the store, so that they do not block others.
 * Clients take turns, by address.
 */
export interface LongCalls {
  /**
   * Reads a request body and answers its calls; those that need the node's services come back parsed instead of
   * answered. Rejects with an RpcError when too many calls are queued, and when `signal` is aborted before their turn.
   */
  answer(body: Uint8Array, client: string, signal?: AbortSignal): Promise<ReadRequest>;
}

/** A good call that was read on one thread, to be answered on another. Plain data. */
export interface ReadCall {
  readonly namespace: Namespace;
  /** Of its method. */
  readonly name: string;
  /** Of the parameters. */
  readonly values: readonly unknown[];
  /** JSON text of the members that the answer repeats. */
  readonly jsonrpc: Uint8Array | undefined;
  readonly id: Uint8Array | undefined;
  /** JSON text of the whole call, where calls may have to be forwarded. */
  readonly text?: Uint8Array;
}

/** A request, or a batch in order: answers, and the calls that are left. A batch that is refused is no batch here. */
export interface ReadRequest {
  readonly isBatch: boolean;
  readonly slots: readonly (RpcAnswer | ReadCall)[];
  /** Which of the slots are of notifications, whose answers a socket does not send. */
  readonly notifications: readonly number[];
}
