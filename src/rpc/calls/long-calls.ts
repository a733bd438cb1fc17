import type { AnsweredRequest, ReadRequest } from "./read-call.ts";

/**
 * Runs slow calls on low-priority threads, each with its own reader of the store, so that they do not block others.
 * Clients take turns, by address. Both methods reject with an RpcError when too many calls are queued, and when
 * `signal` is aborted before their turn.
 */
export interface LongCalls {
  /** Answers a request body. Calls that need the node's services come back parsed instead of answered. */
  answer(body: Uint8Array, client: string, signal?: AbortSignal): Promise<AnsweredRequest | ReadRequest>;
  /** Answer bodies of the calls in a JSON array, each of a method that defines `long`. */
  answerEach(calls: Uint8Array, client: string, signal?: AbortSignal): Promise<Uint8Array[]>;
}

/** Bodies from this size on are parsed elsewhere: JSON text takes about 10 ms a megabyte at worst. */
export const LARGE_BODY_BYTES = 64 * 1024;
/**
 * Bodies up to this size are not, when their method is one that only the node's services can answer: sending them there
 * costs as much.
 */
export const LARGE_SERVICE_BODY_BYTES = 256 * 1024;
/** Calls of a batch that go elsewhere together. */
export const CALLS_AT_ONCE = 8;
