import type { MethodResults, ResultCache } from "../cache/result-cache.ts";
import { invalidSlot, type RpcAnswer } from "../jsonrpc/answer.ts";
import { EXECUTION_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from "../jsonrpc/errors.ts";
import { openRpcDocument } from "../openrpc/document.ts";
import type { Caller } from "../ports/caller.ts";
import {
  dialectOf,
  isForEffect,
  type Method,
  type Namespace,
  type Origin,
  type Registry,
  readParams,
} from "../registry/registry.ts";
import { type AnswerWriter, type Echo, RESULT_MEMBER } from "./answer-writer.ts";
import { ReadSlot } from "./batch-calls.ts";
import { type CallCounts, OTHER } from "./call-counts.ts";
import type { LongCalls, ReadCall } from "./long-calls.ts";
import { MethodTable } from "./method-table.ts";
import { Schedule, type ScheduleOptions } from "./schedule.ts";

export interface CallsOptions extends ScheduleOptions {
  /** Namespaces of this listener; a method outside them does not exist. */
  namespaces: readonly Namespace[];
  /** Keeps the ends of answers, from the result on. */
  results?: ResultCache;
  counts?: CallCounts;
}

/** A parsed JSON object; keys may hold anything. */
export interface RequestObject extends Echo {
  readonly params?: unknown;
}

/** A good call: a method and the values of its parameters. */
interface Call {
  readonly method: Method;
  readonly namespace: Namespace;
  readonly values: readonly unknown[];
}

/** Where the result of a call is to be kept. */
interface Kept {
  results: MethodResults;
  key: string;
}

/** Longest params, as JSON text, under which a result is kept. */
export const MAX_KEY_LENGTH = 512;

/** Gives the description of a listener's methods. It has no namespace. */
const DISCOVER = "rpc.discover";
const NESTED_ID = invalidSlot("Invalid request: the id is an array or an object");

/**
 * Single calls. Never throws and never rejects: whatever a call holds, and whatever a handler does, becomes an answer.
 */
export class Calls {
  readonly schedule: Schedule;
  /** Of the methods that a scanned request can do something for. */
  readonly methods: MethodTable;
  readonly #registry: Registry;
  readonly #options: CallsOptions;
  readonly #writer: AnswerWriter;
  /** JSON text of the answer to rpc.discover, made when first asked for. */
  #discovered: Uint8Array | undefined;

  constructor(registry: Registry, options: CallsOptions, writer: AnswerWriter) {
    this.#registry = registry;
    this.#options = options;
    this.#writer = writer;
    this.schedule = new Schedule(options);
    this.methods = new MethodTable(registry, options.namespaces, options.counts);
  }

  find(namespace: string, name: string): Method | undefined {
    const { namespaces } = this.#options;
    return (namespaces as readonly string[]).includes(namespace) ? this.#registry.find(namespace, name) : undefined;
  }

  /** The method with a name on the wire. */
  named(method: string): Method | undefined {
    const [namespace, name] = method.split("_", 2);
    return this.find(namespace, name);
  }

  /** The method that a call names, parsed or read; `item` may be anything. */
  methodOf(item: unknown): Method | undefined {
    if (item instanceof ReadSlot) {
      return "status" in item.slot ? undefined : this.#registry.find(item.slot.namespace, item.slot.name);
    }
    const method = (item as RequestObject | null)?.method;
    return typeof method === "string" ? this.named(method) : undefined;
  }

  /** Whether later calls of a batch have to see what a call does. */
  hasEffect(item: unknown): boolean {
    const found = this.methodOf(item);
    if (found === undefined) return false;
    const namespace =
      item instanceof ReadSlot
        ? (item.slot as ReadCall).namespace
        : ((item as RequestObject).method as string).split("_", 1)[0];
    return isForEffect(found, this.#registry.declared(namespace as Namespace));
  }

  /**
   * Reads a parsed value as a call. Gives the answer instead if it is not a valid call, or is rpc.discover.
   */
  read(item: unknown): Call | RpcAnswer {
    if (typeof item !== "object" || item === null) return { status: 400, body: invalidSlot("Invalid Request") };
    const request: RequestObject = item;
    const { id, method } = request;
    // It is not repeated: writing it again may cost as much as reading it.
    if (typeof id === "object" && id !== null) return { status: 400, body: NESTED_ID };
    if (method === DISCOVER) return this.#discover(request);
    try {
      if (typeof method !== "string" || method === "") throw new RpcError(INVALID_REQUEST, "Invalid request");
      const [given, name] = method.split("_", 2) as [Namespace, string];
      const found = this.find(given, name);
      if (found === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
      const namespace = this.#registry.declared(given);
      const params = request.params === undefined ? [] : request.params;
      if (!Array.isArray(params)) {
        throw new RpcError(EXECUTION_ERROR, `Params to ${name} is not an array: ${shownAs(params)}`);
      }
      const values = readParams(found.params[namespace]!, params, dialectOf(namespace));
      return { method: found, namespace, values };
    } catch (error) {
      return this.#writer.error(request, error);
    }
  }

  /** Answers a call, parsed or read, where it has to run, or with a kept result. `batched` as in Origin. */
  answer(item: unknown, caller: Caller | undefined, batched = false): RpcAnswer | Promise<RpcAnswer> {
    if (item instanceof ReadSlot) return this.answerRead(item.slot, caller);
    const kept = this.#keptFor(item);
    const end = kept && this.#options.results?.get(kept.results, kept.key);
    if (end !== undefined) return this.#again(item as RequestObject, end);
    return this.#counted((item as RequestObject | null)?.method, () => this.#answer(item, caller, kept, batched));
  }

  /** Where the result of a parsed call may be kept: under the text that its params have without blanks. */
  #keptFor(item: unknown): Kept | undefined {
    if (this.#options.results === undefined || typeof item !== "object" || item === null) return undefined;
    const { id, method, params = [] } = item as RequestObject;
    if (typeof id === "object" && id !== null) return undefined;
    const results = typeof method === "string" ? this.methods.named(method)?.results : undefined;
    if (results === undefined || !Array.isArray(params)) return undefined;
    const key = JSON.stringify(params);
    return key.length > MAX_KEY_LENGTH ? undefined : { results, key };
  }

  /** Gives a kept result. */
  #again(request: RequestObject, end: Uint8Array): RpcAnswer {
    const { counts } = this.#options;
    counts?.answered(counts.indexOf(request.method));
    const text = end.subarray(RESULT_MEMBER.length, -1);
    return this.#writer.result(request, text, (out, json) => void out.bytes(json));
  }

  /** Counts a call under the name of its method. */
  #counted(method: unknown, answer: () => RpcAnswer | Promise<RpcAnswer>): RpcAnswer | Promise<RpcAnswer> {
    const { counts } = this.#options;
    if (counts === undefined) return answer();
    const started = performance.now();
    const index = counts.indexOf(method);
    const settled = (given: RpcAnswer): RpcAnswer => {
      counts.settled(index, given.status, performance.now() - started);
      return given;
    };
    const given = answer();
    return given instanceof Promise ? given.then(settled) : settled(given);
  }

  #answer(
    item: unknown,
    caller: Caller | undefined,
    kept: Kept | undefined,
    batched: boolean,
  ): RpcAnswer | Promise<RpcAnswer> {
    const call = this.read(item);
    if ("status" in call) return call;
    const request = item as RequestObject;
    try {
      const longCalls = this.schedule.forCall(call.method, call.values);
      if (longCalls !== undefined) return this.#elsewhere(request, caller, longCalls);
    } catch (error) {
      return this.#writer.error(request, error);
    }
    return this.run(call, request, { caller, batched }, kept);
  }

  async #elsewhere(request: RequestObject, caller: Caller | undefined, longCalls: LongCalls): Promise<RpcAnswer> {
    try {
      const text = Buffer.from(JSON.stringify(request));
      const { slots } = await longCalls.answer(text, caller?.client() ?? "", caller?.signal());
      return answered(slots[0]);
    } catch (error) {
      return this.#writer.error(request, error);
    }
  }

  /** Answers what is left of a call that was read on another thread. */
  answerRead(slot: RpcAnswer | ReadCall, caller: Caller | undefined): RpcAnswer | Promise<RpcAnswer> {
    if ("status" in slot) {
      this.#options.counts?.settledElsewhere(OTHER);
      return slot;
    }
    const { namespace, name, values, text, ...echo } = slot;
    const method = this.#registry.find(namespace, name);
    if (method === undefined) return this.#writer.error(echo, new TypeError(`no method ${namespace}_${name} here`));
    const wireName = `${namespace}_${name}`;
    return this.#counted(wireName, () =>
      this.run({ method, namespace, values }, { ...echo, method: wireName }, { caller }, undefined, text),
    );
  }

  /**
   * Answers a call with what its method gives. `text` is the JSON text of the request where `echo` is not the request
   * itself.
   */
  run(
    call: Call,
    echo: Echo,
    from: Omit<Origin, "namespace">,
    kept?: Kept,
    text?: Uint8Array,
  ): RpcAnswer | Promise<RpcAnswer> {
    const { method, namespace, values } = call;
    const failed = (error: unknown) => this.#failed(call, echo, from.caller, text, error);
    try {
      const result = method.handle(values, { namespace, ...from });
      if (!isThenable(result)) return this.#result(call, echo, result, kept);
      return Promise.resolve(result)
        .then((value) => this.#result(call, echo, value))
        .catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  #failed(
    { namespace, method }: Call,
    echo: Echo,
    caller: Caller | undefined,
    text: Uint8Array | undefined,
    error: unknown,
  ): RpcAnswer | Promise<RpcAnswer> {
    const forwarder = this.schedule.forFailedCall(error);
    if (forwarder === undefined) return this.#writer.error(echo, error);
    return forwarder
      .forward(`${namespace}_${method.name}`, text ?? JSON.stringify(echo), caller)
      .catch((failure: unknown) => this.#writer.error(echo, failure));
  }

  #result({ method, namespace, values }: Call, echo: Echo, result: unknown, kept?: Kept): RpcAnswer {
    if (result === undefined) return this.#writer.nothing(echo);
    const encode = method.encode[namespace]!;
    if (kept === undefined) return this.#writer.result(echo, result, encode);
    const lifetime = method.keep?.(result, values);
    return this.#writer.result(echo, result, encode, (end) =>
      this.#options.results?.put(kept.results, kept.key, end, lifetime),
    );
  }

  #discover(request: RequestObject): RpcAnswer {
    try {
      this.#discovered ??= Buffer.from(JSON.stringify(openRpcDocument(this.#registry, this.#options.namespaces)));
      return this.#writer.result(request, this.#discovered, (out, document) => void out.bytes(document));
    } catch (error) {
      return this.#writer.error(request, error);
    }
  }
}

/** The answer to a call that any thread can answer. */
export function answered(slot: RpcAnswer | ReadCall | undefined): RpcAnswer {
  if (slot !== undefined && "status" in slot) return slot;
  throw new TypeError("a long call was not answered");
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** A JSON value as a template string shows it, safe for objects with an own `toString` key. */
function shownAs(value: unknown): string {
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}
