import type { RequestProtocol } from "../peers/request-client.ts";
import { RequestStatus } from "../peers/request-client.ts";

interface Request {
  bytes: Uint8Array;
  /** Peer id as text of the peer that asks. */
  peer: string;
  /** Limit of the answer's body in bytes; the requester accepts no more. */
  room: number;
  /** Resolves when this side's end of the stream is sent, or the exchange has failed. */
  ended: Promise<void>;
}

export interface Answer {
  status: RequestStatus;
  /** Sent compressed; empty for every status except SUCCESS. */
  body: Uint8Array;
}

/**
 * Answers requests of one protocol; undefined for a request that gets no answer. A thrown DecodeError is a malformed
 * request, which costs the peer; anything else is answered with INTERNAL_ERROR.
 */
export type RequestHandler = (request: Request) => Promise<Answer | undefined> | Answer | undefined;

/** A protocol without a handler is not offered. */
export type RequestHandlers = Partial<Record<RequestProtocol, RequestHandler>>;

export function success(body: Uint8Array): Answer {
  return { status: RequestStatus.SUCCESS, body };
}

export const NO_BODY = new Uint8Array(0);

export const NOT_FOUND: Answer = { status: RequestStatus.NOT_FOUND, body: NO_BODY };
