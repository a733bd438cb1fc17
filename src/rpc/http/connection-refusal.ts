import { failure } from "../jsonrpc/dispatcher.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import type { Answer } from "./listener.ts";

/** All that a connection over the cap is told. It is then closed. */
export const TOO_MANY_CONNECTIONS: Answer = {
  status: 503,
  headers: [
    ["Content-Type", "application/json; charset=utf-8"],
    ["Access-Control-Allow-Origin", "*"],
    ["Retry-After", "1"],
  ],
  body: failure(503, LIMIT_EXCEEDED, "Too many connections").body,
};
