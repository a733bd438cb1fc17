import { failure } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import type { Answer } from "./listener.ts";

/** For what the node has no room for at the moment. */
function unavailable(message: string): Answer {
  return {
    status: 503,
    headers: [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Access-Control-Allow-Origin", "*"],
      ["Retry-After", "1"],
    ],
    body: failure(503, LIMIT_EXCEEDED, message).body,
  };
}

/** All that a connection over the cap is told. It is then closed. */
export const TOO_MANY_CONNECTIONS = unavailable("Too many connections");
/** Instead of an answer for which there is no room, because others wait to be taken. The connection is then closed. */
export const TOO_MANY_ANSWERS = unavailable("The node is busy: too many answers wait to be taken");
