import { INVALID_REQUEST, PARSE_ERROR } from "./errors.ts";

export type Header = readonly [name: string, value: string];

/** JSON text of a whole response and the HTTP status that goes with it. */
export interface RpcAnswer {
  status: number;
  body: Uint8Array;
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
