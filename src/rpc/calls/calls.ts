import type { MethodResults, ResultCache } from "../cache/result-cache.ts";
import { invalidSlot, type RpcAnswer } from "../jsonrpc/answer.ts";
import { EXECUTION_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from "../jsonrpc/errors.ts";
import { openRpcDocument } from "../openrpc/document.ts";
import type { Caller } from "../ports/caller.ts";
import { LiveServiceNeeded } from "../ports/live-service-needed.ts";
import {
  declaredNamespace,
  dialectOf,
  isForEffect,
  type Method,
  type Namespace,
  type Origin,
  type Registry,
  readParams,
} from "../registry/registry.ts";
import type { AnswerWriter, Echo } from "./answer-writer.ts";
import type { CallCounts } from "./call-counts.ts";
import type { Forwarder } from "./forwarder.ts";
import type { LongCalls } from "./long-calls.ts";
import type { ReadCall } from "./read-call.ts";

export interface CallsOptions {
  /** Namespaces of this listener; a method outside them does not exist. */
  namespaces: readonly Namespace[];
  /** Keeps the ends of answers, from the result on. */
  results?: ResultCache;
  /** Takes the calls that would hold up others. */
  longCalls?: LongCalls;
  counts?: CallCounts;
  /** Answers the calls of methods that need a service that is not here. */
  forwarder?: Forwarder;
}

/** A parsed JSON object; keys may hold anything. */
export interface RequestObject extends Echo {
  readonly params?: unknown;
}

/** A good call: a method and the values of its parameters. */
export interface Call {
  readonly method: Method;
  readonly namespace: Namespace;
  readonly values: readonly unknown[];
}

/** Where the result of a call is to be kept. */
export interface Kept {
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
  readonly #registry: Registry;
  readonly #options: CallsOptions;
  readonly #writer: AnswerWriter;
  /** JSON text of the answer to rpc.discover, made when first asked for. */
  #discovered: Uint8Array | undefined;

  constructor(registry: Registry, options: CallsOptions, writer: AnswerWriter) {
    this.#registry = registry;
    this.#options = options;
    this.#writer = writer;
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

  /** Whether later calls of a batch have to see what a call does; `item` may be anything. */
  hasEffect(item: unknown): boolean {
    if (typeof item !== "object" || item === null) return false;
    const { method } = item as RequestObject;
    if (typeof method !== "string") return false;
    const found = this.named(method);
    return found !== undefined && isForEffect(found, declaredNamespace(method.split("_", 1)[0] as Namespace));
  }

  /** As `hasEffect`, of a call that was read. */
  hasReadEffect({ namespace, name }: Pick<ReadCall, "namespace" | "name">): boolean {
    const found = this.#registry.find(namespace, name);
    return found !== undefined && isForEffect(found, namespace);
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
      const namespace = declaredNamespace(given);
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

  /** Answers a parsed call, on another thread when it may take long. `batched` as in Origin. */
  answer(item: unknown, caller: Caller | undefined, kept?: Kept, batched = false): RpcAnswer | Promise<RpcAnswer> {
    return this.#counted((item as RequestObject | null)?.method, () => this.#answer(item, caller, kept, batched));
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
    const { longCalls } = this.#options;
    try {
      if (longCalls !== undefined && call.method.long?.(call.values))
        return this.#elsewhere(request, caller, longCalls);
    } catch (error) {
      return this.#writer.error(request, error);
    }
    return this.run(call, request, { caller, batched }, kept);
  }

  async #elsewhere(request: RequestObject, caller: Caller | undefined, longCalls: LongCalls): Promise<RpcAnswer> {
    try {
      const text = Buffer.from(JSON.stringify(request));
      const answer = await longCalls.answer(text, caller?.client() ?? "", caller?.signal());
      if ("status" in answer) return answer;
      throw new TypeError("a long call was not answered");
    } catch (error) {
      return this.#writer.error(request, error);
    }
  }

  /** Answers a call that was read on another thread. */
  runRead(
    { namespace, name, values, text, ...echo }: ReadCall,
    caller: Caller | undefined,
  ): RpcAnswer | Promise<RpcAnswer> {
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
    const { forwarder } = this.#options;
    if (forwarder === undefined || !(error instanceof LiveServiceNeeded)) return this.#writer.error(echo, error);
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

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** A JSON value as a template string shows it, safe for objects with an own `toString` key. */
function shownAs(value: unknown): string {
  return typeof value === "object" && value !== null ? "[object Object]" : String(value);
}
