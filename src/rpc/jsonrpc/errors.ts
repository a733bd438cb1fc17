/** Error codes on the wire (docs/protocol/05-rpc.md#54-statuses-and-failures). */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32701;
export const EXECUTION_ERROR = -32702;
/** Too many connections (HTTP 503) or calls (HTTP 429); the code that EIP-1474 has for it. */
export const LIMIT_EXCEEDED = -32005;
/** What the call needs is not there at the moment (HTTP 503); the code that EIP-1474 has for it. */
export const RESOURCE_UNAVAILABLE = -32002;

/** A failure whose code, message and data are the answer to the client: expected, not logged as a fault of the node. */
export class RpcError extends Error {
  readonly code: number;
  /** Sent as `error.data`; any JSON value. */
  readonly data: unknown;

  constructor(code: number, message: string, options: ErrorOptions & { data?: unknown } = {}) {
    super(message, options);
    this.name = "RpcError";
    this.code = code;
    this.data = options.data;
  }
}

/** A parameter has the right form but no value of its type, or a request cannot be carried out: -32702. */
export class ExecutionError extends RpcError {
  constructor(message: string, options?: ErrorOptions & { data?: unknown }) {
    super(EXECUTION_ERROR, message, options);
    this.name = "ExecutionError";
  }
}

/** A reference block is above the tip of this node: another one may have it, and this one may get it. */
export class BlockAheadError extends ExecutionError {
  constructor(message: string) {
    super(message);
    this.name = "BlockAheadError";
  }
}
