/** Request/response protocols by the name in their id, `/aztec/req/NAME/1.0.0`. */
export type RequestProtocol = "ping" | "status" | "goodbye" | "tx" | "block" | "auth" | "block_txs";

/** First byte of a response; FAILURE and UNKNOWN are set by the requester and never sent. */
export const RequestStatus = {
  SUCCESS: 0,
  RATE_LIMIT_EXCEEDED: 1,
  BADLY_FORMED_REQUEST: 2,
  INTERNAL_ERROR: 3,
  NOT_FOUND: 4,
  FAILURE: 126,
  UNKNOWN: 127,
} as const;
export type RequestStatus = (typeof RequestStatus)[keyof typeof RequestStatus];

export interface RequestAnswer {
  status: RequestStatus;
  /** Decompressed; empty unless the status is SUCCESS. */
  body: Uint8Array;
}

export interface RequestOptions {
  /** Limit of the decompressed response in bytes; the protocol's own limit if not given. */
  maxBytes?: number;
  dialTimeoutMs?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Sends requests to connected peers. */
export interface RequestClient {
  /** Never rejects: failures are answers with status FAILURE or UNKNOWN. `peer` is a peer id as text. */
  request(
    peer: string,
    protocol: RequestProtocol,
    request: Uint8Array,
    options?: RequestOptions,
  ): Promise<RequestAnswer>;
}
