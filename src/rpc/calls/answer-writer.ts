import { randomBytes } from "node:crypto";
import type { Logger } from "../../telemetry/logger.ts";
import { JsonWriter, type Write } from "../codecs/json/json-writer.ts";
import { type RpcAnswer, unreadable } from "../jsonrpc/answer.ts";
import {
  BlockAheadError,
  EXECUTION_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  LIMIT_EXCEEDED,
  RESOURCE_UNAVAILABLE,
  RpcError,
} from "../jsonrpc/errors.ts";

/** What an answer repeats of its request. A Uint8Array, which no JSON is read as, is JSON text. */
export interface Echo {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  /** For the log. */
  readonly method?: unknown;
}

export interface AnswerWriterOptions {
  /** Error types beside RpcError that are answers rather than faults: their message goes out, nothing is logged. */
  expectedErrors?: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
  /** Whether a reference block above the own tip is HTTP 503 with Retry-After, so that another node may be asked. */
  refusesBlocksAhead?: boolean;
}

const JSONRPC = "2.0";
const RETRY_SOON = [["Retry-After", "1"]] as const;
/** Between the id and the result; ends kept begin with it. */
export const RESULT_MEMBER = ',"result":';

/** Writes the envelopes of answers, results and errors, around what methods give. */
export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  readonly #log: Logger;
  /** Scratch of one synchronous run; empty between runs. */
  readonly #out = new JsonWriter();

  constructor(options: AnswerWriterOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  /**
   * Throws what the encoder throws. `keep` is given what follows the id, to the end of the answer, valid during the
   * call only.
   */
  result<R>(echo: Echo, result: R, encode: Write<R>, keep?: (end: Uint8Array) => void): RpcAnswer {
    const out = this.#out;
    try {
      this.#head(echo, echo.jsonrpc);
      const from = out.length;
      encode(out.text(RESULT_MEMBER), result);
      out.text("}");
      keep?.(out.writtenFrom(from));
      return { status: 200, body: out.take() };
    } catch (error) {
      out.rewind(0);
      throw error;
    }
  }

  /** A success without a value, which has a result all the same (JSON-RPC 2.0 section 5). */
  nothing(echo: Echo): RpcAnswer {
    return this.result(echo, null, writeNull);
  }

  /** Never throws. */
  error(echo: Echo, error: unknown): RpcAnswer {
    const { code, message, data } = this.#described(echo, error);
    const out = this.#out;
    try {
      const own = code === INVALID_PARAMS || code === INVALID_REQUEST;
      this.#head(echo, own ? JSONRPC : echo.jsonrpc);
      out.text(`,"error":{"code":${code}`);
      if (data !== undefined) out.text(',"data":').value(data);
      out.text(',"message":').value(message).text("}}");
      const body = out.take();
      if (code === RESOURCE_UNAVAILABLE) return { status: 503, body, headers: RETRY_SOON };
      return { status: code === LIMIT_EXCEEDED ? 503 : 400, body };
    } catch (unwritable) {
      // Data that is no JSON.
      out.rewind(0);
      return unreadable(`Unable to serialize response: ${messageOf(unwritable)}`);
    }
  }

  #head({ id }: Echo, jsonrpc: unknown): void {
    const out = this.#out;
    if (jsonrpc === undefined || jsonrpc === JSONRPC) out.text('{"jsonrpc":"2.0"');
    else write(out.text('{"jsonrpc":'), jsonrpc);
    if (typeof id === "number") out.text(`,"id":${JSON.stringify(id)}`);
    else if (id !== undefined) write(out.text(',"id":'), id);
  }

  #described({ method }: Echo, error: unknown): { code: number; message: string; data?: unknown } {
    if (error instanceof BlockAheadError && this.#options.refusesBlocksAhead) {
      return { code: RESOURCE_UNAVAILABLE, message: error.message };
    }
    if (error instanceof RpcError) return error;
    const expected = this.#options.expectedErrors?.some((type) => error instanceof type) ?? false;
    if (expected) return { code: EXECUTION_ERROR, message: messageOf(error) };
    // The error's own text may name files and addresses of this machine.
    const errorId = randomBytes(4).toString("hex");
    this.#log.error({ method, errorId, err: error }, "a request failed unexpectedly");
    return { code: EXECUTION_ERROR, message: `Internal error ${errorId}` };
  }
}

const writeNull: Write<null> = (out) => void out.text("null");

function write(out: JsonWriter, value: unknown): void {
  if (value instanceof Uint8Array) out.bytes(value);
  else out.value(value);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
