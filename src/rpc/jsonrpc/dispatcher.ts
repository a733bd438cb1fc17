import type { Logger } from "../../telemetry/logger.ts";
import type { Lifetime, MethodResults, ResultCache } from "../cache/result-cache.ts";
import type { Caller } from "../caller.ts";
import { JsonWriter, type Write } from "../encoding/json-writer.ts";
import type { AnswerBudget } from "../http/answer-budget.ts";
import { openRpcDocument } from "../openrpc/document.ts";
import { DIALECTS, type Method, type Namespace, type Registry, readParams } from "../registry.ts";
import { Turns } from "../turns.ts";
import { failure, invalidSlot, type RpcAnswer, unreadable } from "./answer.ts";
import { BatchAnswers } from "./batch-answers.ts";
import { EnvelopeScan } from "./envelope-scan.ts";
import {
  EXECUTION_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  LIMIT_EXCEEDED,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RpcError,
} from "./errors.ts";
import { CALLS_AT_ONCE, LARGE_BODY_BYTES, LARGE_SERVICE_BODY_BYTES, type LongCalls, SLICE_MS } from "./long-calls.ts";
import { MethodTable } from "./method-table.ts";
import { shapeFault } from "./request-shape.ts";
import { isArrayText, latin1, utf8, wireText } from "./request-text.ts";

export interface DispatcherOptions {
  /** Most requests of one batch. */
  maxBatchSize: number;
  /** Namespaces of this listener; a method outside them does not exist. */
  namespaces: readonly Namespace[];
  /** Error types beside RpcError that are answers rather than faults: their message goes out, nothing is logged. */
  expectedErrors?: readonly (abstract new (
    ...args: never[]
  ) => Error)[];
  /** Keeps the ends of answers, from the result on. Asked before each request, so that its reads see the latest commit. */
  results?: ResultCache;
  /** Takes the calls that would hold up others. */
  longCalls?: LongCalls;
  /** Bounds the bytes of the answers of batches while they are made. */
  budget?: AnswerBudget;
}

/** Where the result of a call is to be kept. */
interface Kept {
  results: MethodResults;
  key: string;
}

/** A kept result from this size on is sent from where it is. */
const SENT_IN_PARTS = 16 * 1024;
/** The method's name as clients write it, in front of the params, and where it is looked for. */
const METHOD_AT_START = /^[^[]*"method" ?: ?"(\w+)"/;
const METHOD_WITHIN = 256;
/** Longest params under which a result is kept. */
const LONGEST_KEY = 512;

/** Told how many calls a batch of permitted size has beyond the first; gives the answer that refuses the batch, if any. */
export type AdmitBatch = (furtherCalls: number) => RpcAnswer | undefined;

/** Gives the description of a listener's methods. It has no namespace. */
const DISCOVER = "rpc.discover";

const JSONRPC = "2.0";
const NESTED_ID = invalidSlot("Invalid request: the id is an array or an object");
const OPENING = Buffer.from('{"jsonrpc":"2.0"');
const OPENING_WITH_ID = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT_MEMBER = Buffer.from(',"result":');

/**
 * Envelopes, batches and errors of JSON-RPC (sheet 02 sections 1.2, 1.4, 1.5). Never throws and never rejects: whatever a
 * request holds, and whatever a handler does, becomes an answer. Requests that need no waiting are answered synchronously.
 */
export class Dispatcher {
  readonly #registry: Registry;
  readonly #options: DispatcherOptions;
  readonly #log: Logger;
  /** Scratch of one synchronous run; empty between runs. */
  readonly #out = new JsonWriter();
  readonly #scan = new EnvelopeScan();
  readonly #turns = new Turns();
  readonly #methods: MethodTable;
  /** JSON text of the answer to rpc.discover, made when first asked for. */
  #discovered: Uint8Array | undefined;

  constructor(registry: Registry, options: DispatcherOptions, log: Logger) {
    this.#registry = registry;
    this.#options = options;
    this.#log = log;
    this.#methods = new MethodTable(registry, options.namespaces);
  }

  /**
   * Answers a request body of the usual form straight from its bytes, when that is worth it; undefined leaves it to `answerText`.
   * Bytes are the body of an answer of status 200 and valid until the next call of any of these methods; an array is such a body in parts,
   * which stay valid.
   */
  answerScanned(body: Uint8Array): Uint8Array | readonly Uint8Array[] | RpcAnswer | Promise<RpcAnswer> | undefined {
    const scan = this.#scan;
    if (!scan.scan(body, this.#methods.raw)) return undefined;
    const found = this.#methods.find(scan);
    if (found === undefined) return undefined;
    const cache = this.#options.results;
    cache?.renew();
    if (found.raw !== undefined) {
      this.#open(body).part(RESULT_MEMBER, 0, RESULT_MEMBER.length);
      try {
        if (found.raw(body, scan.paramsFrom, scan.paramsTo, this.#out)) return this.#out.text("}").view();
      } catch {
        // The general form says what is wrong.
      }
      this.#out.rewind(0);
      if (!scan.scan(body)) return undefined;
    }
    const { paramsFrom, paramsTo } = scan;
    if (cache === undefined || found.results === undefined || paramsTo - paramsFrom > LONGEST_KEY) return undefined;
    const key = paramsTo - paramsFrom <= 2 ? "[]" : latin1(body, paramsFrom, paramsTo);
    const end = cache.get(found.results, key);
    if (end !== undefined) {
      const out = this.#open(body);
      return end.length >= SENT_IN_PARTS ? [new Uint8Array(out.view()), end] : out.bytes(end).view();
    }
    const request = {
      id: scan.idTo > 0 ? JSON.parse(latin1(body, scan.idFrom, scan.idTo)) : undefined,
      method: found.name,
      params: JSON.parse(key),
    };
    return this.#call(request, undefined, { results: found.results, key });
  }

  /** The start of the answer to the request that was scanned, up to its result. */
  #open(body: Uint8Array): JsonWriter {
    const { idFrom, idTo } = this.#scan;
    return idTo > 0 ? this.#out.bytes(OPENING_WITH_ID).part(body, idFrom, idTo) : this.#out.bytes(OPENING);
  }

  /** Answers a request body of any kind. `admitBatch` and `caller` as for `answer`. */
  answerBytes(body: Uint8Array, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    const { longCalls, maxBatchSize } = this.#options;
    const fault = shapeFault(body, maxBatchSize);
    if (fault !== undefined) return failure(400, PARSE_ERROR, `Parse error: ${fault}`);
    const here = (bytes: Uint8Array) => this.answerText(utf8(bytes), admitBatch, caller);
    // The calls of a batch are counted here.
    const counted = admitBatch !== undefined && isArrayText(body);
    if (longCalls === undefined || body.length < LARGE_BODY_BYTES || counted || this.#isForServices(body)) {
      return here(body);
    }
    // The listener takes its memory back once this returns.
    const kept = new Uint8Array(body);
    return longCalls.answer(kept).then(
      (answer) => answer ?? here(kept),
      (error: unknown) => this.#error({ id: null }, error),
    );
  }

  /** Whether a body, not too large a one, seems to be a request that only the node's services can answer. A wrong guess costs time only. */
  #isForServices(body: Uint8Array): boolean {
    if (body.length > LARGE_SERVICE_BODY_BYTES) return false;
    const [, method] = METHOD_AT_START.exec(latin1(body, 0, METHOD_WITHIN)) ?? [];
    const found = method === undefined ? undefined : this.#find(method);
    return found !== undefined && found.long === undefined;
  }

  /** Answers a request body that is JSON text. `admitBatch` and `caller` as for `answer`. */
  answerText(text: string, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    if (!/^[ \t\n\r]*[[{]/.test(text)) {
      return failure(400, PARSE_ERROR, "Parse error: invalid JSON, only supports object and array");
    }
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch (error) {
      return failure(400, PARSE_ERROR, `Parse error: ${messageOf(error)}`);
    }
    return this.answer(request, admitBatch, caller);
  }

  /** Answers a parsed body: one request or a batch, which `admitBatch` may refuse as a whole. Methods are told of the `caller`. */
  answer(request: unknown, admitBatch?: AdmitBatch, caller?: Caller): RpcAnswer | Promise<RpcAnswer> {
    this.#options.results?.renew();
    if (!Array.isArray(request)) return this.#call(request as RequestObject, caller);
    const { maxBatchSize } = this.#options;
    if (request.length === 0) return { status: 400, body: invalidSlot("Invalid Request") };
    if (request.length > maxBatchSize) {
      const body = invalidSlot(`Batch request exceeds maximum allowed size of ${maxBatchSize}`);
      return { status: 400, body };
    }
    const refusal = admitBatch?.(request.length - 1);
    if (refusal !== undefined) return refusal;
    const { longCalls } = this.#options;
    // While other batches go on, this one waits for its turn.
    const end = this.#turns.idle ? performance.now() + SLICE_MS : 0;
    const answers = new BatchAnswers(this.#options.budget);
    for (const [at, item] of request.entries()) {
      if (longCalls !== undefined && performance.now() > end)
        return this.#restOfBatch({ batch: request, answers, caller }, longCalls);
      if (answers.refused) break;
      answers.put(at, this.#slot(item, caller));
    }
    return answers.answer();
  }

  #slot(item: unknown, caller: Caller | undefined): RpcAnswer | Promise<RpcAnswer> {
    if (typeof item !== "object" || item === null) return { status: 400, body: invalidSlot("Invalid Request") };
    const request = item as RequestObject;
    const kept = this.#keptFor(request);
    const end = kept && this.#options.results?.get(kept.results, kept.key);
    if (end === undefined) return this.#call(request, caller, kept);
    try {
      const text = end.subarray(RESULT_MEMBER.length, -1);
      return this.#answer(request, text, (out, json) => void out.bytes(json));
    } catch (error) {
      return this.#error(request, error);
    }
  }

  /** Where the result of a parsed call may be kept: under the text that its params have without blanks. */
  #keptFor({ id, method, params = [] }: RequestObject): Kept | undefined {
    if (typeof id === "object" && id !== null) return undefined;
    const results = typeof method === "string" ? this.#methods.named(method)?.results : undefined;
    if (results === undefined || !Array.isArray(params)) return undefined;
    const key = wireText(params)?.toString("utf8");
    return key === undefined || key.length > LONGEST_KEY ? undefined : { results, key };
  }

  /** Goes on with a batch whose first calls took their time: elsewhere where that is possible, with pauses otherwise. */
  async #restOfBatch({ batch, answers, caller }: BegunBatch, longCalls: LongCalls): Promise<RpcAnswer> {
    let chunk: number[] = [];
    const send = (): void => {
      const sent = chunk;
      chunk = [];
      const items = sent.map((at) => batch[at]);
      const text = wireText(items);
      const bodies = text && longCalls.answerEach(text);
      for (const [i, at] of sent.entries()) {
        if (bodies === undefined) {
          answers.put(at, this.#slot(items[i], caller));
          continue;
        }
        const answer = bodies.then(
          (all) => ({ status: 200, body: all[i] }),
          (error: unknown) => this.#error(items[i] as RequestObject, error),
        );
        answers.put(at, answer);
      }
    };
    let end = performance.now();
    for (let at = answers.length; at < batch.length && !answers.refused; at++) {
      if (performance.now() >= end) {
        await this.#turns.wait();
        this.#options.results?.renew();
        end = performance.now() + SLICE_MS;
      }
      const item = batch[at];
      if (!this.#goesElsewhere(item)) answers.put(at, this.#slot(item, caller));
      else if (chunk.push(at) === CALLS_AT_ONCE) send();
    }
    if (chunk.length > 0) send();
    return answers.answer();
  }

  #goesElsewhere(item: unknown): boolean {
    if (typeof item !== "object" || item === null) return false;
    const { method } = item as RequestObject;
    return typeof method === "string" && this.#find(method)?.long !== undefined;
  }

  #find(method: string): Method | undefined {
    const [namespace, name] = method.split("_", 2);
    if (!(this.#options.namespaces as readonly string[]).includes(namespace)) return undefined;
    return this.#registry.find(namespace, name);
  }

  #elsewhere(request: RequestObject, text: Uint8Array, longCalls: LongCalls): Promise<RpcAnswer> {
    return longCalls.answer(text).then(
      (answer) => answer ?? this.#error(request, new TypeError("a long call was not answered")),
      (error: unknown) => this.#error(request, error),
    );
  }

  #call(request: RequestObject, caller: Caller | undefined, kept?: Kept): RpcAnswer | Promise<RpcAnswer> {
    const { id, method } = request;
    // It is not repeated: writing it again may cost as much as reading it.
    if (typeof id === "object" && id !== null) return { status: 400, body: NESTED_ID };
    if (typeof method !== "string" || method === "") {
      return this.#error(request, new RpcError(INVALID_REQUEST, "Invalid request"));
    }
    if (method === DISCOVER) return this.#discover(request);
    const [namespace, name] = method.split("_", 2);
    const found = this.#find(method);
    if (found === undefined) return this.#error(request, new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`));
    try {
      const params = request.params === undefined ? [] : request.params;
      if (!Array.isArray(params)) {
        throw new RpcError(EXECUTION_ERROR, `Params to ${name} is not an array: ${shownAs(params)}`);
      }
      const values = readParams(found.params[namespace as Namespace]!, params, DIALECTS[namespace as Namespace]);
      const { longCalls } = this.#options;
      const text = longCalls !== undefined && found.long?.(values) ? wireText(request) : undefined;
      if (text !== undefined) return this.#elsewhere(request, text, longCalls!);
      const result = found.handle(values, { namespace: namespace as Namespace, caller });
      if (!isThenable(result)) {
        const lifetime = kept && result !== undefined ? found.keep?.(result, values) : undefined;
        return this.#result(request, found, namespace as Namespace, result, kept && { ...kept, lifetime });
      }
      return Promise.resolve(result)
        .then((value) => this.#result(request, found, namespace as Namespace, value))
        .catch((error: unknown) => this.#error(request, error));
    } catch (error) {
      return this.#error(request, error);
    }
  }

  #discover(request: RequestObject): RpcAnswer {
    try {
      this.#discovered ??= Buffer.from(JSON.stringify(openRpcDocument(this.#registry, this.#options.namespaces)));
      return this.#answer(request, this.#discovered, (out, document) => void out.bytes(document));
    } catch (error) {
      return this.#error(request, error);
    }
  }

  #result(
    request: RequestObject,
    method: Method,
    namespace: Namespace,
    result: unknown,
    kept?: Kept & { lifetime: Lifetime },
  ): RpcAnswer {
    const encode = method.encode[namespace]!;
    if (kept !== undefined && result !== undefined) {
      return this.#answer(request, result, (out, value) => {
        // What follows the id, to the end of the answer, is kept.
        const from = out.length - RESULT_MEMBER.length;
        encode(out, value);
        const end = out.text("}").writtenFrom(from);
        this.#options.results?.put(kept.results, kept.key, end, kept.lifetime);
        out.rewind(out.length - 1);
      });
    }
    if (result !== undefined) return this.#answer(request, result, encode);
    return this.#answer(request, undefined, DIALECTS[namespace].nothing === "null" ? encodeNull : undefined);
  }

  /** Throws what the encoder throws, with the scratch left empty. Without an encoder there is no result. */
  #answer<R>(request: RequestObject, result: R, encode: Write<R> | undefined): RpcAnswer {
    const out = this.#out;
    try {
      this.#head(request, request.jsonrpc);
      if (encode !== undefined) {
        out.text(',"result":');
        encode(out, result);
      }
      out.text("}");
      return { status: 200, body: out.take() };
    } catch (error) {
      out.rewind(0);
      throw error;
    }
  }

  #error(request: RequestObject, error: unknown): RpcAnswer {
    const { code, message, data } = this.#described(request, error);
    const out = this.#out;
    try {
      const own = code === INVALID_PARAMS || code === INVALID_REQUEST;
      this.#head(request, own ? JSONRPC : request.jsonrpc);
      out.text(`,"error":{"code":${code}`);
      if (data !== undefined) out.text(',"data":').value(data);
      out.text(',"message":').value(message).text("}}");
      return { status: code === LIMIT_EXCEEDED ? 503 : 400, body: out.take() };
    } catch (unserialisable) {
      // An id nested too deeply to be written again, or data that is no JSON.
      out.rewind(0);
      const { message } = unserialisable instanceof RpcError ? unserialisable : unwritable(unserialisable);
      return unreadable(message);
    }
  }

  #head(request: RequestObject, jsonrpc: unknown): void {
    const out = this.#out;
    if (jsonrpc === undefined || jsonrpc === JSONRPC) out.text('{"jsonrpc":"2.0"');
    else this.#echo('{"jsonrpc":', jsonrpc);
    const { id } = request;
    if (typeof id === "number") out.text(`,"id":${JSON.stringify(id)}`);
    else if (id !== undefined) this.#echo(',"id":', id);
  }

  /** Writes what the request held. That it nests deeper than text can be made of is the client's doing, not a fault to log. */
  #echo(name: string, value: unknown): void {
    try {
      this.#out.text(name).value(value);
    } catch (error) {
      throw unwritable(error);
    }
  }

  #described(request: RequestObject, error: unknown): { code: number; message: string; data?: unknown } {
    if (error instanceof RpcError) return error;
    const message = error ? messageOf(error) : "Error executing request";
    const expected = this.#options.expectedErrors?.some((type) => error instanceof type) ?? false;
    if (!expected) this.#log.error({ method: request.method, err: error }, "A request failed unexpectedly");
    return { code: EXECUTION_ERROR, message };
  }
}

function unwritable(cause: unknown): RpcError {
  return new RpcError(PARSE_ERROR, `Unable to serialize response: ${messageOf(cause)}`, { cause });
}

const encodeNull: Write<unknown> = (out) => void out.text("null");

/** A parsed JSON object; keys may hold anything. */
interface RequestObject {
  jsonrpc?: unknown;
  id?: unknown;
  method?: unknown;
  params?: unknown;
}

/** A batch of which the calls in `slots` are answered or under way. */
interface BegunBatch {
  batch: readonly unknown[];
  answers: BatchAnswers;
  caller: Caller | undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A JSON value as a template string shows it, safe for objects with an own `toString` key. */
function shownAs(value: unknown): string {
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}
