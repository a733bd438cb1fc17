import type { Encoder } from "./encoding/json-writer.ts";
import { type Codec, type Issue, issuesError, type OptionalCodec } from "./params/codec.ts";

/** First piece of a method's name on the wire: `node_getBlock` is method getBlock of namespace node. */
export type Namespace = "node" | "nodeAdmin" | "svc" | "svcAdmin";

export type ParameterCodec = Codec<unknown> | OptionalCodec<unknown>;
export interface Parameter<T = unknown> {
  readonly name: string;
  readonly codec: Codec<T> | OptionalCodec<T>;
}

/** One method, once: dispatch, validation, limits and the description of the API all derive from it. */
export interface Method {
  readonly name: string;
  readonly params: readonly Parameter[];
  /** Given the values of `params` in order. undefined means "none": the answer has no result. */
  handle(args: readonly unknown[]): unknown;
  /** The namespaces that have the method, and how each writes the result. Never called for undefined. */
  readonly encode: { readonly [N in Namespace]?: Encoder<unknown> };
}

type Values<P extends readonly Parameter[]> = { [K in keyof P]: P[K] extends Parameter<infer T> ? T : never };

/**
 * Declares a method with its types tied together: the handler gets what the codecs read, the encoders what the handler returns.
 *
 * @example
 * method({
 *   name: "getBlockByHash",
 *   params: [param("blockHash", field)],
 *   handle: (hash) => chain.blockNumberByHash(hash),
 *   encode: { node: encodeNumber },
 * })
 */
export function method<const P extends readonly Parameter[], R>(definition: {
  name: string;
  params: P;
  handle: (...args: Values<P>) => R;
  encode: { readonly [N in Namespace]?: Encoder<NonNullable<Awaited<R>>> };
}): Method {
  const { name, params, handle, encode } = definition;
  return {
    name,
    params,
    handle: (args) => handle(...(args as Values<P>)),
    encode: encode as Method["encode"],
  };
}

export function param<T>(name: string, codec: Codec<T> | OptionalCodec<T>): Parameter<T> {
  return { name, codec };
}

/**
 * Reads a positional parameter list (sheet 02 section 1.8): surplus entries are ignored, optional ones may be left out at the end.
 * Throws an RpcError -32701 with all broken rules, or the ExecutionError of a conversion.
 */
export function readParams(params: readonly Parameter[], given: readonly unknown[]): unknown[] {
  const missing = params.length - given.length;
  if (missing > 0 && missing > params.filter(({ codec }) => "optional" in codec).length) {
    throw issuesError([{ text: `Array must contain at least ${params.length} element(s)`, path: [] }]);
  }
  const issues: Issue[] = [];
  const values = params.map(({ codec }, i) => codec.read(given[i], [i], issues));
  if (issues.length > 0) throw issuesError(issues);
  return values;
}

/** Methods by namespace and name. */
export class Registry {
  readonly methods: readonly Method[];
  readonly #byNamespace = new Map<string, Map<string, Method>>();

  /** Throws a RangeError when two methods of a namespace have one name. */
  constructor(methods: readonly Method[]) {
    this.methods = methods;
    for (const entry of methods) {
      for (const namespace of Object.keys(entry.encode)) {
        const names = this.#byNamespace.get(namespace) ?? new Map<string, Method>();
        if (names.has(entry.name)) throw new RangeError(`two methods are named ${namespace}_${entry.name}`);
        this.#byNamespace.set(namespace, names.set(entry.name, entry));
      }
    }
  }

  find(namespace: string, name: string): Method | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }
}
