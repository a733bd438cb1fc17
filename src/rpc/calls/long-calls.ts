import type { AnsweredRequest, ReadRequest } from "./read-call.ts";

/**
 * Answers on threads that nobody waits for, over their own readers of the store: what would hold up the calls of
 * others. Clients, by the address of each, take turns. Both methods reject with an RpcError when too much waits
 * already, and when `signal` is aborted before their turn has come.
 */
export interface LongCalls {
  /** Answers the body of a request. The calls that only the node's services can answer come back as they were read. */
  answer(body: Uint8Array, client: string, signal?: AbortSignal): Promise<AnsweredRequest | ReadRequest>;
  /** Bodies of the answers to the calls of a JSON array, each of a method that says which of its calls are long. */
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
