import { failure, invalidSlot, type RpcAnswer } from "../jsonrpc/answer.ts";
import { PARSE_ERROR } from "../jsonrpc/errors.ts";
import { messageOf } from "./answer-writer.ts";
import { requestShape } from "./request-shape.ts";
import { utf8 } from "./request-text.ts";

/** A request or the calls of a batch of permitted size, not yet validated. */
export type ParsedBody = { request: unknown; batch?: undefined } | { batch: readonly unknown[] };

/** Reads the bytes of a request body, after a look at their shape. What cannot be read has an answer instead. */
export function parsedBody(body: Uint8Array, maxBatchSize: number): ParsedBody | RpcAnswer {
  const { fault } = requestShape(body, maxBatchSize);
  return fault === undefined ? parsedText(utf8(body), maxBatchSize) : refusedShape(fault);
}

export function refusedShape(fault: string): RpcAnswer {
  return failure(400, PARSE_ERROR, `Parse error: ${fault}`);
}

export function parsedText(text: string, maxBatchSize: number): ParsedBody | RpcAnswer {
  if (!/^[ \t\n\r]*[[{]/.test(text)) {
    return failure(400, PARSE_ERROR, "Parse error: invalid JSON, only supports object and array");
  }
  try {
    return sized(JSON.parse(text), maxBatchSize);
  } catch (error) {
    return failure(400, PARSE_ERROR, `Parse error: ${messageOf(error)}`);
  }
}

/** A parsed body as a request or a batch. */
export function sized(request: unknown, maxBatchSize: number): ParsedBody | RpcAnswer {
  if (!Array.isArray(request)) return { request };
  if (request.length === 0) return { status: 400, body: invalidSlot("Invalid Request") };
  if (request.length <= maxBatchSize) return { batch: request };
  return { status: 400, body: invalidSlot(`Batch request exceeds maximum allowed size of ${maxBatchSize}`) };
}
