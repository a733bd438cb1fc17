import { INVALID_REQUEST, PARSE_ERROR } from "./errors.ts";

export type Header = readonly [name: string, value: string];

/** Body of an answer, and whose its memory is. */
export interface AnswerBody {
  body: Uint8Array;
  /** Follows `body`: the end of a cached answer. It never changes and is never freed. */
  end?: Uint8Array;
  /**
   * Of `body`. Undefined: it belongs to this answer alone, and is freed once it has been sent. "lent": valid until the
   * thread makes its next answer, so that who needs it longer copies it; a promise never gives it. "shared": it never
   * changes and is never freed.
   */
  memory?: "lent" | "shared";
}

/** JSON text of a whole response and the HTTP status that goes with it. */
export interface RpcAnswer extends AnswerBody {
  status: number;
  /** Headers beside those of every answer. */
  headers?: readonly Header[];
}

/** A failure before any request could be read: id null (docs/protocol/05-rpc.md#54-statuses-and-failures). */
export function failure(status: number, code: number, message: string): RpcAnswer {
  return { status, body: errorBody(`"id":null,"error":{"code":${code},"message":${JSON.stringify(message)}}`) };
}

/** What stands for an item of a batch, or a batch, that is no request. */
export function invalidSlot(message: string): Uint8Array {
  return errorBody(`"error":{"code":${INVALID_REQUEST},"message":${JSON.stringify(message)}},"id":null`);
}

function errorBody(members: string): Uint8Array {
  return Buffer.from(`{"jsonrpc":"2.0",${members}}`);
}

/** A failure that cannot be written as the answer to its request. */
export function unreadable(message: string): RpcAnswer {
  return { status: 400, body: errorBody(`"error":{"code":${PARSE_ERROR},"message":${JSON.stringify(message)}}`) };
}
