import type { JsonSchema } from "../codecs/json/json-schema.ts";
import type { Method, Namespace, Parameter, Registry } from "../registry/registry.ts";
import { Components } from "./components.ts";
import { shortSchema } from "./short-schema.ts";

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
  /** Replacement of a deprecated method. */
  "x-replacement"?: string;
  /** Path and query of the call by GET; `{params}` is the JSON array of the parameters, percent-encoded. */
  "x-get"?: string;
  /** The notification that carries the events which the method asks for. */
  "x-notification"?: { name: string; params: JsonSchema };
}

export interface ContentDescriptor {
  name: string;
  description?: string;
  required?: boolean;
  schema: JsonSchema;
}

const NULL_RESULT: JsonSchema = { type: "null" };

function paramDescriptor({ name, codec, description }: Parameter, components: Components): ContentDescriptor {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    required: !("optional" in codec),
    schema: components.referring(codec.schema ?? {}),
  };
}

/** Descriptor of a method's result in a namespace; null is allowed if there may be no result. */
function resultDescriptor({ encode, description: { nothing } }: Method, namespace: Namespace): ContentDescriptor {
  const schema = encode[namespace]?.schema ?? {};
  if (nothing === undefined) return { name: shortSchema(schema), schema };
  const description = `Null ${nothing}.`;
  return { name: `${shortSchema(schema)}?`, description, schema: { anyOf: [schema, NULL_RESULT] } };
}

/** `served` is the spelling under which the listener serves the declared namespace. */
function methodObject(
  method: Method,
  { served, declared: namespace }: { served: Namespace; declared: Namespace },
  components: Components,
): OpenRpcMethod {
  const { name, description, params } = method;
  const replacement = description.deprecated?.[namespace];
  const { notification } = description;
  const result = resultDescriptor(method, namespace);
  return {
    name: `${served}_${name}`,
    ...(description.summary === undefined ? {} : { summary: description.summary }),
    paramStructure: "by-position",
    params: (params[namespace] ?? []).map((one) => paramDescriptor(one, components)),
    result: { ...result, schema: components.referring(result.schema) },
    ...(method.immutable ? { "x-get": `/v1/${served}_${name}?params={params}` } : {}),
    ...(replacement === undefined ? {} : { deprecated: true, "x-replacement": replacement }),
    ...(notification === undefined
      ? {}
      : { "x-notification": { name: notification.name, params: components.referring(notification.schema) } }),
  };
}

/**
 * OpenRPC 1.3 description (https://spec.open-rpc.org) of the methods of some namespaces: parameter schemas come from
 * the codecs, result schemas from the encoders, and both refer to named types.
 *
 * @example
 * JSON.stringify(openRpcDocument(registry, ["svc"]))
 */
export function openRpcDocument(registry: Registry, namespaces: readonly Namespace[]): OpenRpcDocument {
  const components = new Components();
  const isRepeated = (namespace: Namespace) =>
    registry.declared(namespace) !== namespace && namespaces.includes(registry.declared(namespace));
  const methods = namespaces
    .filter((namespace) => !isRepeated(namespace))
    .flatMap((served) => {
      const names = { served, declared: registry.declared(served) };
      return registry.in(served).map((method) => methodObject(method, names, components));
    });
  const spellings = namespaces
    .filter(isRepeated)
    .map((namespace) => ` Methods of ${registry.declared(namespace)}_ are served as ${namespace}_ too.`);
  return {
    openrpc: "1.3.2",
    info: {
      title: "Rollup node",
      version: "1",
      description: `JSON-RPC 2.0 over HTTP POST with positional parameters.${spellings.join("")}`,
    },
    methods,
    components: { schemas: components.schemas },
  };
}
