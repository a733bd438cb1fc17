import type { Lifetime } from "./cache/result-cache.ts";
import type { Caller } from "./caller.ts";
import type { Encoder } from "./encoding/encoder.ts";
import type { JsonWriter } from "./encoding/json-writer.ts";
import { type Codec, type Issue, issuesError, type OptionalCodec } from "./params/codec.ts";

/** First piece of a method's name on the wire: `node_getBlock` is method getBlock of namespace node. */
export type Namespace = "node" | "nodeAdmin" | "svc" | "svcAdmin";

/** Where a call comes from. */
export interface Origin {
  readonly namespace: Namespace;
  /** Undefined for a call that came by no connection. */
  readonly caller?: Caller;
}

/** What the two generations of the API do differently for all their methods. */
export interface Dialect {
  /** Positional parameters beyond the declared ones. */
  surplusParams: "ignored" | "refused";
  /** How many parameters the refusal of a shorter list asks for. */
  leastParams: "declared" | "required";
  /** The `result` of a method that gives none. */
  nothing: "absent" | "null";
}

/** Sheet 02 sections 1.7 and 1.8. */
const RELEASE: Dialect = { surplusParams: "ignored", leastParams: "declared", nothing: "absent" };
/** Sheet 03 sections 1.3 and 1.4. */
const DEVELOPMENT: Dialect = { surplusParams: "refused", leastParams: "required", nothing: "null" };

export const DIALECTS: Readonly<Record<Namespace, Dialect>> = {
  node: RELEASE,
  nodeAdmin: RELEASE,
  svc: DEVELOPMENT,
  svcAdmin: DEVELOPMENT,
};

export type ParameterCodec = Codec<unknown> | OptionalCodec<unknown>;
export interface Parameter<T = unknown> {
  readonly name: string;
  readonly codec: Codec<T> | OptionalCodec<T>;
  /** What it is for, where the type's own description leaves that open: sentences. */
  readonly description?: string;
}

type PerNamespace<T> = { readonly [N in Namespace]?: T };

/** Parameter lists that differ between the namespaces of a method. */
export type ParameterLists = PerNamespace<readonly Parameter[]>;

/** What the description of the API says about a method beside its parameters. */
export interface MethodDescription {
  /** One sentence without a full stop. */
  summary?: string;
  /** When the result is nothing, where it may be: the end of the sentence "Null ..." without a full stop. */
  nothing?: string;
  /** What to use instead, for the namespaces in which the method is kept for old clients only. */
  deprecated?: PerNamespace<string>;
}

/**
 * Fast form of a method: answers the usual calls from the request's bytes without making objects. `body[from .. to)` begins with the opening
 * bracket of the params and should end with their closing one: that it is one JSON array and nothing else is for this form to check. It is
 * nothing (from === to) when the request has no params. It writes the JSON text of the result and returns true, or returns false for a call that is not its case; when it throws, it counts as false.
 * Then whatever it wrote is taken back and the general form answers, which stays the only one to refuse a call. Synchronous, and what it
 * answers has to equal the general form's answer byte for byte.
 */
export type RawForm = (body: Uint8Array, from: number, to: number, out: JsonWriter) => boolean;

/** One method, once: dispatch, validation, limits and the description of the API all derive from it. */
export interface Method {
  readonly name: string;
  readonly params: ParameterLists;
  readonly description: MethodDescription;
  /** Given the values of a namespace's parameters in order. undefined means "none": the answer has no result. */
  handle(args: readonly unknown[], origin: Origin): unknown;
  /** The namespaces that have the method, and how each writes the result. Never called for undefined. */
  readonly encode: PerNamespace<Encoder<unknown>>;
  readonly raw?: PerNamespace<RawForm>;
  /**
   * Whether a call may take more than about a millisecond. A method that has this, also when it always says no, reads nothing but the
   * store, so that its calls can be answered by any thread: those of a long batch are.
   */
  readonly long?: (args: readonly unknown[]) => boolean;
  /** How long a result holds, so that its text may be kept; not asked for undefined and for a promise. */
  readonly keep?: (result: unknown, args: readonly unknown[]) => Lifetime;
}

/** Values of a parameter list; of several lists, the union of theirs. */
type Values<P> = P extends readonly Parameter[]
  ? { -readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }
  : never;
type Arguments<P> = P extends readonly Parameter[] ? Values<P> : P extends ParameterLists ? Values<P[keyof P]> : never;

/** `handleFrom` is for methods that treat namespaces or clients differently. */
type Handling<A extends unknown[], R> =
  | { handle: (...args: A) => R; handleFrom?: undefined }
  | { handle?: undefined; handleFrom: (origin: Origin, ...args: A) => R };

/**
 * Declares a method with its types tied together: the handler gets what the codecs read, the encoders what the handler returns.
 * A namespace's parameter list may be shorter than another's: the handler's last parameters are then optional.
 *
 * @example
 * method({
 *   name: "getBlockByHash",
 *   summary: "Block with a hash",
 *   params: [param("blockHash", field)],
 *   handle: (hash) => chain.blockNumberByHash(hash),
 *   nothing: "for an unknown hash",
 *   encode: { node: encodeBlockNumber },
 * })
 */
export function method<const P extends readonly Parameter[] | ParameterLists, R>(
  definition: {
    name: string;
    /** For all namespaces of `encode`, or a list for each. */
    params: P;
    encode: PerNamespace<Encoder<NonNullable<Awaited<R>>>>;
    raw?: PerNamespace<RawForm>;
    long?: (...args: Arguments<P>) => boolean;
    keep?: (result: NonNullable<Awaited<R>>, ...args: Arguments<P>) => Lifetime;
  } & Handling<Arguments<P>, R> &
    MethodDescription,
): Method {
  const { name, params, handle, handleFrom, encode, raw, long, keep, summary, nothing, deprecated } = definition;
  const shared = Array.isArray(params) ? (params as readonly Parameter[]) : undefined;
  const lists = shared
    ? Object.fromEntries(Object.keys(encode).map((namespace) => [namespace, shared]))
    : (params as ParameterLists);
  return {
    name,
    params: lists,
    description: { summary, nothing, deprecated },
    handle: handleFrom
      ? (args, origin) => handleFrom(origin, ...(args as Arguments<P>))
      : (args) => handle(...(args as Arguments<P>)),
    encode: encode as Method["encode"],
    raw,
    long: long && ((args) => long(...(args as Arguments<P>))),
    keep: keep && ((result, args) => keep(result as NonNullable<Awaited<R>>, ...(args as Arguments<P>))),
  };
}

/** For `long`: no call takes long, and any thread can answer them. */
export const never = (): boolean => false;

export function param<T>(name: string, codec: Codec<T> | OptionalCodec<T>, description?: string): Parameter<T> {
  return { name, codec, description };
}

/**
 * Reads a positional parameter list (sheet 02 section 1.8): optional parameters may be left out at the end. Throws an RpcError
 * -32701 with all broken rules, or the ExecutionError of a conversion.
 */
export function readParams(
  params: readonly Parameter[],
  given: readonly unknown[],
  { surplusParams, leastParams }: Dialect = RELEASE,
): unknown[] {
  const required = params.filter(({ codec }) => !("optional" in codec)).length;
  if (given.length < required) {
    const least = leastParams === "required" ? required : params.length;
    throw issuesError([{ text: `Array must contain at least ${least} element(s)`, path: [] }]);
  }
  const issues: Issue[] = [];
  if (given.length > params.length && surplusParams === "refused") {
    issues.push({ text: `Array must contain at most ${params.length} element(s)`, path: [] });
  }
  const values = params.map(({ codec }, i) => codec.read(given[i], [i], issues));
  if (issues.length > 0) throw issuesError(issues);
  return values;
}

/** Methods by namespace and name. */
export class Registry {
  readonly methods: readonly Method[];
  readonly #byNamespace = new Map<string, Map<string, Method>>();

  /** Throws a RangeError when two methods of a namespace have one name, or a method lacks a namespace's parameters. */
  constructor(methods: readonly Method[]) {
    this.methods = methods;
    for (const entry of methods) {
      for (const namespace of Object.keys(entry.encode) as Namespace[]) {
        const names = this.#byNamespace.get(namespace) ?? new Map<string, Method>();
        if (names.has(entry.name)) throw new RangeError(`two methods are named ${namespace}_${entry.name}`);
        if (!entry.params[namespace]) throw new RangeError(`${namespace}_${entry.name} has no parameter list`);
        this.#byNamespace.set(namespace, names.set(entry.name, entry));
      }
    }
  }

  find(namespace: string, name: string): Method | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  /** Methods of a namespace in the order of their declaration. */
  in(namespace: Namespace): Method[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }
}
