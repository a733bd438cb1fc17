import type { JsonSchema } from "../params/codec.ts";
import { DIALECTS, type Method, type Namespace, type Parameter, type Registry } from "../registry.ts";

/** The members of OpenRPC 1.3 that this description uses. */
export interface OpenRpcDocument {
  openrpc: "1.3.2";
  info: { title: string; version: string; description: string };
  methods: OpenRpcMethod[];
  components: { schemas: Record<string, JsonSchema> };
}

export interface OpenRpcMethod {
  name: string;
  summary?: string;
  paramStructure: "by-position";
  params: ContentDescriptor[];
  result: ContentDescriptor;
  deprecated?: true;
  /** What to use instead of a deprecated method. */
  "x-replacement"?: string;
}

export interface ContentDescriptor {
  name: string;
  required?: boolean;
  schema: JsonSchema;
}

/** Results that are no objects of the API; every other name is one and gets a schema of its own. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  number: { type: "number" },
  boolean: { type: "boolean" },
  string: { type: "string" },
  bigint: { type: "string", pattern: "^-?[0-9]+$", description: "decimal digits" },
  Field: { title: "Field", type: "string", pattern: "^0x[0-9a-f]{64}$" },
  void: { type: "null" },
};

const NULL: JsonSchema = { type: "null" };

/** Schema of a result name as MethodDescription spells it. Objects are added to `objects`. */
function resultSchema(name: string, objects: Set<string>): JsonSchema {
  if (name.endsWith("?")) return { anyOf: [resultSchema(name.slice(0, -1), objects), NULL] };
  if (name.endsWith("[]")) return { type: "array", items: resultSchema(name.slice(0, -2), objects) };
  const union = /^\((.*) \| null\)$/.exec(name);
  if (union) return resultSchema(`${union[1]}?`, objects);
  if (Object.hasOwn(SCALARS, name)) return SCALARS[name];
  objects.add(name);
  return { $ref: `#/components/schemas/${name}` };
}

function paramDescriptor({ name, codec }: Parameter): ContentDescriptor {
  return { name, required: !("optional" in codec), schema: codec.schema ?? {} };
}

/** Name of the result in a namespace, as the method's description spells it. */
export function returnsIn({ description: { returns } }: Method, namespace: Namespace): string {
  return (typeof returns === "string" ? returns : returns?.[namespace]) ?? "unknown";
}

function methodObject(method: Method, namespace: Namespace, objects: Set<string>): OpenRpcMethod {
  const { name, description, params } = method;
  const replacement = description.deprecated?.[namespace];
  const returns = returnsIn(method, namespace);
  return {
    name: `${namespace}_${name}`,
    ...(description.summary === undefined ? {} : { summary: description.summary }),
    paramStructure: "by-position",
    params: (params[namespace] ?? []).map(paramDescriptor),
    result: { name: returns, schema: resultSchema(returns, objects) },
    ...(replacement === undefined ? {} : { deprecated: true, "x-replacement": replacement }),
  };
}

/**
 * Description of the methods of some namespaces in OpenRPC 1.3 (https://spec.open-rpc.org): parameters with schemas from their
 * codecs, results by name.
 *
 * @example
 * JSON.stringify(openRpcDocument(registry, ["svc"]))
 */
export function openRpcDocument(registry: Registry, namespaces: readonly Namespace[]): OpenRpcDocument {
  const objects = new Set<string>();
  const methods = namespaces.flatMap((namespace) =>
    registry.in(namespace).map((method) => methodObject(method, namespace, objects)),
  );
  const absent = namespaces.filter((namespace) => DIALECTS[namespace].nothing === "absent");
  const nothing =
    absent.length === 0 ? "" : ` Methods of ${absent.join(" and ")} leave the result out where it is null here.`;
  return {
    openrpc: "1.3.2",
    info: {
      title: "Rollup node",
      version: "1",
      description: `JSON-RPC 2.0 over HTTP POST with positional parameters.${nothing}`,
    },
    methods,
    components: {
      schemas: Object.fromEntries([...objects].sort().map((name) => [name, { title: name, type: "object" }])),
    },
  };
}
