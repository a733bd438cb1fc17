import type { Logger } from "../../telemetry/logger.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { Caller } from "../ports/caller.ts";
import type { Registry } from "../registry/registry.ts";
import { AnswerWriter, type AnswerWriterOptions } from "./answer-writer.ts";
import { type BatchCalls, ParsedCalls } from "./batch-calls.ts";
import { Batches, type BatchesOptions } from "./batches.ts";
import { Calls, type CallsOptions } from "./calls.ts";
import type { LongCalls } from "./long-calls.ts";
import { isNotification, NO_ANSWER } from "./notifications.ts";
import { type ParsedBody, parsedBody, parsedText, refusedShape, sized } from "./parsed-body.ts";
import { requestShape } from "./request-shape.ts";
import { isArrayText } from "./request-text.ts";
import { ScannedBatch } from "./scanned-batch.ts";
import { ScannedCalls } from "./scanned-calls.ts";

export interface DispatcherOptions extends CallsOptions, BatchesOptions, AnswerWriterOptions {
  /** Most requests of one batch. */
  maxBatchSize: number;
  /** Whether calls of the usual form are answered from the bytes of their requests (the default). */
  scans?: boolean;
}

/**
 * Told how many calls a batch of permitted size has beyond the first; gives the answer that refuses the batch, if any.
 */
export type AdmitBatch = (furtherCalls: number) => RpcAnswer | undefined;

/**
 * Answers JSON-RPC requests (docs/protocol/05-rpc.md#52-envelope and docs/protocol/05-rpc.md#54-statuses-and-failures).
 * Never throws and never rejects. Requests that need no waiting are answered
 * synchronously.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #writer: AnswerWriter;
  readonly #calls: Calls;
  readonly #batches: Batches;
  readonly #scanned: ScannedCalls;

  constructor(registry: Registry, options: DispatcherOptions, log: Logger) {
    this.#options = options;
    this.#writer = new AnswerWriter(options, log);
    this.#calls = new Calls(registry, options, this.#writer);
    this.#batches = new Batches(this.#calls, this.#writer, options);
    this.#scanned = new ScannedCalls(this.#calls, options);
  }

  /**
   * Answers a request body of any kind, an empty one like an empty request. One of the usual form is answered straight
   * from its bytes. `admitBatch` and `caller` as for `answer`.
   */
  answerBytes(body: Uint8Array, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    if (body.length === 0) return this.answer({}, admitBatch, caller);
    const { maxBatchSize, scans = true } = this.#options;
    if (scans) {
      const scanned = this.#scanned.answer(body, caller);
      if (scanned !== undefined) return scanned;
      const batch = ScannedBatch.of(body, this.#calls.methods, this.#options);
      if (batch !== undefined) return this.#answerBatch(batch, admitBatch, caller);
    }
    const longCalls = this.#calls.schedule.forBody(body, (method) => this.#calls.named(method));
    if (longCalls === undefined) return this.#answer(parsedBody(body, maxBatchSize), admitBatch, caller);
    if (admitBatch !== undefined && isArrayText(body)) {
      const { fault, items } = requestShape(body, maxBatchSize);
      if (fault !== undefined) return refusedShape(fault);
      const refusal = items <= maxBatchSize ? admitBatch(items - 1) : undefined;
      if (refusal !== undefined) return refusal;
    }
    return this.#readElsewhere(body, caller, longCalls);
  }

  /** Answers a large body without looking into it. */
  async #readElsewhere(body: Uint8Array, caller: Caller | undefined, longCalls: LongCalls): Promise<RpcAnswer> {
    try {
      // The listener takes its memory back once this waits.
      const copy = new Uint8Array(body);
      const read = await longCalls.answer(copy, caller?.client() ?? "", caller?.signal());
      this.#options.results?.renew();
      if (read.isBatch) return await this.#batches.answer(ParsedCalls.ofRead(read), caller);
      const answer = await this.#calls.answerRead(read.slots[0], caller);
      return caller?.sendsNotifications && read.notifications.length > 0 ? NO_ANSWER : answer;
    } catch (error) {
      return this.#writer.error({ id: null }, error);
    }
  }

  /** Answers a request body that is JSON text. `admitBatch` and `caller` as for `answer`. */
  answerText(text: string, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    return this.#answer(parsedText(text, this.#options.maxBatchSize), admitBatch, caller);
  }

  /**
   * Answers a parsed body: one request or a batch, which `admitBatch` may refuse as a whole. Methods are told of the
   * `caller`. Gives NO_ANSWER for notifications where the caller sends such.
   */
  answer(request: unknown, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    return this.#answer(sized(request, this.#options.maxBatchSize), admitBatch, caller);
  }

  #answer(
    parsed: ParsedBody | RpcAnswer,
    admitBatch: AdmitBatch | undefined,
    caller: Caller | undefined,
  ): RpcAnswer | Promise<RpcAnswer> {
    if ("status" in parsed) return parsed;
    if (parsed.batch !== undefined) return this.#answerBatch(new ParsedCalls(parsed.batch), admitBatch, caller);
    this.#options.results?.renew();
    const answer = this.#calls.answer(parsed.request, caller);
    if (!caller?.sendsNotifications || !isNotification(parsed.request)) return answer;
    return answer instanceof Promise ? answer.then(() => NO_ANSWER) : NO_ANSWER;
  }

  #answerBatch(
    batch: BatchCalls,
    admitBatch: AdmitBatch | undefined,
    caller: Caller | undefined,
  ): RpcAnswer | Promise<RpcAnswer> {
    this.#options.results?.renew();
    return admitBatch?.(batch.length - 1) ?? this.#batches.answer(batch, caller);
  }
}
