import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { Namespace } from "../registry/registry.ts";

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

/** The answer to a request that was read and answered on another thread. */
export interface AnsweredRequest extends RpcAnswer {
  /** Whether the request is a notification, whose answer a socket does not send. */
  readonly notification?: boolean;
}

/** A request, or a batch in order: bodies of answers, and the calls that are left. */
export interface ReadRequest {
  readonly isBatch: boolean;
  readonly slots: readonly (Uint8Array | ReadCall)[];
  /** Which of the slots are of notifications, if any. */
  readonly notifications?: readonly number[];
}
