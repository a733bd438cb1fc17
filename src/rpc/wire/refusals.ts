import { failure } from "../jsonrpc/answer.ts";
import { INVALID_REQUEST, LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
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

/** To a connection over the limit, which is then closed. */
export const TOO_MANY_CONNECTIONS = unavailable("Too many connections");
/** To a request for a WebSocket of a client that has as many as it may have. */
export const TOO_MANY_SOCKETS = unavailable("Too many WebSocket connections of this client");
/** Instead of an answer for which there is no room, because others wait to be taken. The connection is then closed. */
export const TOO_MANY_ANSWERS = unavailable("The node is busy: too many answers wait to be taken");
/** To a request whose body there is no room for, because of others. Its body is not read. */
export const TOO_MANY_BODIES = unavailable("The node is busy: too many request bodies are under way");
/** To a request of ambiguous length (RFC 9112 section 6.3). The connection is then closed. */
export const UNCERTAIN_LENGTH: Answer = {
  status: 400,
  headers: [["Content-Type", "application/json; charset=utf-8"]],
  body: failure(400, INVALID_REQUEST, "Invalid request: one Content-Length, or Transfer-Encoding: chunked").body,
};
