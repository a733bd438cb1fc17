import type { ApiRules } from "../../protocol/generations/api.ts";
import type { Lifetime } from "../cache/result-cache.ts";
import { type Codec, type Issue, issuesError, type OptionalCodec } from "../codecs/json/codec.ts";
import { type Encoder, encodeNothing } from "../codecs/json/encoder.ts";
import type { JsonSchema } from "../codecs/json/json-schema.ts";
import type { JsonWriter } from "../codecs/json/json-writer.ts";
import type { Caller } from "../ports/caller.ts";

/** Proving agents of a process are told apart by their namespaces. */
export type AgentNamespace = "agent" | `agent${number}`;

/** Prefix of a method's name on the wire: `node_getBlock` is method getBlock of namespace node. */
export type Namespace =
  | AgentNamespace
  | "anvil"
  | "aztec"
  | "aztecAdmin"
  | "bootstrap"
  | "evm"
  | "node"
  | "nodeAdmin"
  | "nodeDebug"
  | "p2p"
  | "prover"
  | "proverBroker"
  | "provingJobSource"
  | "svc"
  | "svcAdmin";

/** Origin of a call. */
export interface Origin {
  readonly namespace: Namespace;
  /** Undefined for a call that did not arrive over a connection. */
  readonly caller?: Caller;
  /** Whether the request has other calls, whose answers wait for the answer of this one. */
  readonly batched?: boolean;
}

/** Differences between the two APIs that apply to all methods. */
interface Dialect {
  /** How positional parameters beyond the declared ones are treated. */
  surplusParams: "ignored" | "refused";
  /** How many parameters the error for a shorter list asks for. */
  leastParams: "declared" | "required";
}

/** docs/protocol/05-rpc.md#56-parameter-lists. */
const RELEASE: Dialect = { surplusParams: "ignored", leastParams: "declared" };
/** docs/protocol/05-rpc.md#56-parameter-lists. */
const DEVELOPMENT: Dialect = { surplusParams: "refused", leastParams: "required" };

/** As anvil does. */
const L1_TOOLS: Dialect = { surplusParams: "ignored", leastParams: "required" };

const DIALECTS: Readonly<Record<Exclude<Namespace, AgentNamespace>, Dialect>> = {
  anvil: L1_TOOLS,
  aztec: DEVELOPMENT,
  aztecAdmin: DEVELOPMENT,
  bootstrap: RELEASE,
  evm: L1_TOOLS,
  node: RELEASE,
  nodeAdmin: RELEASE,
  nodeDebug: RELEASE,
  p2p: RELEASE,
  prover: RELEASE,
  proverBroker: RELEASE,
  provingJobSource: RELEASE,
  svc: DEVELOPMENT,
  svcAdmin: DEVELOPMENT,
};

/** Other names of namespaces; methods are declared under the name on the right. */
type Spellings = ReadonlyMap<string, Namespace>;

/** Under these names public clients call the development API. */
const OF_CLIENTS: readonly (readonly [Namespace, Namespace])[] = [
  ["aztec", "svc"],
  ["aztecAdmin", "svcAdmin"],
];
const SPELLINGS: Spellings = new Map(OF_CLIENTS);
const WITHOUT_RELEASE: Spellings = new Map([...OF_CLIENTS, ["node", "svc"], ["nodeAdmin", "svcAdmin"]]);

/** Where there is no API of a release, its namespaces are names of the development API too. */
export function spellingsOf({ hasReleaseApi }: Pick<ApiRules, "hasReleaseApi">): Spellings {
  return hasReleaseApi ? SPELLINGS : WITHOUT_RELEASE;
}

export function dialectOf(namespace: Namespace): Dialect {
  return isAgentNamespace(namespace) ? RELEASE : DIALECTS[namespace];
}

function isAgentNamespace(namespace: Namespace): namespace is AgentNamespace {
  return /^agent[0-9]*$/.test(namespace);
}

export interface Parameter<T = unknown> {
  readonly name: string;
  readonly codec: Codec<T> | OptionalCodec<T>;
  /** Purpose of the parameter if its type's description does not state it; full sentences. */
  readonly description?: string;
}

type PerNamespace<T> = { readonly [N in Namespace]?: T };

/** Parameter lists that differ between the namespaces of a method. */
type ParameterLists = PerNamespace<readonly Parameter[]>;

/** What the API description says about a method, besides its parameters. */
interface MethodDescription {
  /** One sentence without a full stop. */
  summary?: string;
  /** When there is no result: the end of the sentence "Null ..." without a full stop. */
  nothing?: string;
  /** The replacement, for the namespaces that keep the method only for old clients. */
  deprecated?: PerNamespace<string>;
  /** What the method has sent later: the notification's method and the schema of its params. */
  notification?: { name: string; schema: JsonSchema };
}

/**
 * Fast form of a method: answers the usual calls directly from the request's bytes, without creating objects.
 * `body[from .. to)` starts with the opening bracket of the params and should end with the closing one; this form must
 * check that it is exactly one JSON array. It is empty (from === to) if the request has no params. Writes the JSON text
 * of the result and returns true, or returns false for a call that it does not handle; throwing counts as false. In
 * that case whatever it wrote is discarded and the general form answers; only that one rejects calls. Synchronous, and
 * its answers must equal those of the general form byte for byte.
 */
export type RawForm = (body: Uint8Array, from: number, to: number, out: JsonWriter) => boolean;

/** The single definition of a method: dispatch, validation, limits and the API description all derive from it. */
export interface Method {
  readonly name: string;
  readonly params: ParameterLists;
  readonly description: MethodDescription;
  /** Takes the values of a namespace's parameters in order. Returning undefined makes the result null. */
  handle(args: readonly unknown[], origin: Origin): unknown;
  /** The namespaces that have the method, and the encoder of each. Encoders are never called for undefined. */
  readonly encode: PerNamespace<Encoder<unknown>>;
  readonly raw?: PerNamespace<RawForm>;
  /**
   * Whether a call may take more than about a millisecond. A method that defines this, even if it always returns false,
   * reads nothing but the store, so that any thread can answer its calls; long batches are split this way.
   */
  readonly long?: (args: readonly unknown[]) => boolean;
  /** How long a result stays valid, so that its text may be cached. Not called for undefined and for promises. */
  readonly keep?: (result: unknown, args: readonly unknown[]) => Lifetime;
  /**
   * Whether a result belongs to the given hashes for ever: no other answer can become right, whatever happens to the
   * chain. GET serves the methods that define this, and such results may be kept by caches outside. Not called for
   * undefined.
   */
  readonly immutable?: (result: unknown, args: readonly unknown[]) => boolean;
}

/** Values of a parameter list; for several lists, the union of theirs. */
type Values<P> = P extends readonly Parameter[]
  ? { -readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never }
  : never;
type Arguments<P> = P extends readonly Parameter[] ? Values<P> : P extends ParameterLists ? Values<P[keyof P]> : never;

/** `handleFrom` is for methods that treat namespaces or clients differently. */
type Handling<A extends unknown[], R> =
  | { handle: (...args: A) => R; handleFrom?: undefined }
  | { handle?: undefined; handleFrom: (origin: Origin, ...args: A) => R };

/**
 * Declares a method with its types tied together: the handler gets what the codecs read, the encoders what the handler
 * returns. A namespace's parameter list may be shorter than another's: the handler's last parameters are then optional.
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
    /** One list for all namespaces of `encode`, or one list for each. */
    params: P;
    encode: PerNamespace<Encoder<NonNullable<Awaited<R>>>>;
    raw?: PerNamespace<RawForm>;
    long?: (...args: Arguments<P>) => boolean;
    keep?: (result: NonNullable<Awaited<R>>, ...args: Arguments<P>) => Lifetime;
    immutable?: (result: NonNullable<Awaited<R>>, ...args: Arguments<P>) => boolean;
  } & Handling<Arguments<P>, R> &
    MethodDescription,
): Method {
  const { name, params, handle, handleFrom, encode, raw, long, keep, immutable } = definition;
  const { summary, nothing, deprecated, notification } = definition;
  const shared = Array.isArray(params) ? (params as readonly Parameter[]) : undefined;
  const lists = shared
    ? Object.fromEntries(Object.keys(encode).map((namespace) => [namespace, shared]))
    : (params as ParameterLists);
  return {
    name,
    params: lists,
    description: { summary, nothing, deprecated, notification },
    handle: handleFrom
      ? (args, origin) => handleFrom(origin, ...(args as Arguments<P>))
      : (args) => handle(...(args as Arguments<P>)),
    encode: encode as Method["encode"],
    raw,
    long: long && ((args) => long(...(args as Arguments<P>))),
    keep: keep && ((result, args) => keep(result as NonNullable<Awaited<R>>, ...(args as Arguments<P>))),
    immutable: immutable && ((result, args) => immutable(result as NonNullable<Awaited<R>>, ...(args as Arguments<P>))),
  };
}

/** For `long`: no call takes long, and any thread can answer it. */
export const never = (): boolean => false;

/** For `immutable`: every result is. */
export const always = (): boolean => true;

export function param<T>(name: string, codec: Codec<T> | OptionalCodec<T>, description?: string): Parameter<T> {
  return { name, codec, description };
}

/**
 * Reads a positional parameter list (docs/protocol/05-rpc.md#56-parameter-lists): trailing optional parameters may be
 * omitted. Throws an RpcError -32701 with all broken rules, or the ExecutionError of a conversion.
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

/** Methods without a result are called for their effect: later calls of a batch see it. */
export function isForEffect({ encode }: Method, namespace: Namespace): boolean {
  return encode[namespace] === encodeNothing;
}

/** Methods by namespace and name. */
export class Registry {
  readonly methods: readonly Method[];
  readonly spellings: Spellings;
  readonly #byNamespace = new Map<string, Map<string, Method>>();

  /**
   * Throws a RangeError if two methods of a namespace share a name, or a method lacks a parameter list for a namespace.
   */
  constructor(methods: readonly Method[], spellings: Spellings = SPELLINGS) {
    this.methods = methods;
    this.spellings = spellings;
    for (const entry of methods) {
      for (const namespace of Object.keys(entry.encode) as Namespace[]) {
        const names = this.#byNamespace.get(namespace) ?? new Map<string, Method>();
        if (names.has(entry.name)) throw new RangeError(`two methods are named ${namespace}_${entry.name}`);
        if (!entry.params[namespace]) throw new RangeError(`${namespace}_${entry.name} has no parameter list`);
        this.#byNamespace.set(namespace, names.set(entry.name, entry));
      }
    }
  }

  /** The namespace under which the methods of a namespace are declared. */
  declared(namespace: Namespace): Namespace {
    return this.spellings.get(namespace) ?? namespace;
  }

  /** The declared name of a method with a name on the wire; any other text stays as it is. */
  declaredName(method: string): string {
    const [namespace] = method.split("_", 1);
    const declared = this.spellings.get(namespace);
    return declared === undefined ? method : declared + method.slice(namespace.length);
  }

  find(namespace: string, name: string): Method | undefined {
    return this.#byNamespace.get(this.declared(namespace as Namespace))?.get(name);
  }

  /** Methods of a namespace in declaration order. */
  in(namespace: Namespace): Method[] {
    return [...(this.#byNamespace.get(this.declared(namespace))?.values() ?? [])];
  }
}
