import type { JsonSchema } from "../src/rpc/codecs/json/json-schema.ts";
import type { OpenRpcDocument, OpenRpcMethod } from "../src/rpc/openrpc/document.ts";

const schemas = (value: unknown): JsonSchema[] => value as JsonSchema[];
const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");
const grouped = (type: string): string => (/ [|&] /.test(type) ? `(${type})` : type);

const PRIMITIVES: Readonly<Record<string, string>> = {
  integer: "number",
  array: "unknown[]",
  object: "Record<string, unknown>",
};

function comment(text: unknown, indent = ""): string {
  return typeof text === "string" ? `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n` : "";
}

/** The TypeScript type of a schema in the description. */
function typeOf(schema: JsonSchema): string {
  const { $ref, allOf, anyOf, type, items, properties, required = [], additionalProperties } = schema;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (allOf !== undefined)
    return schemas(allOf)
      .map((one) => grouped(typeOf(one)))
      .join(" & ");
  if (anyOf !== undefined) return union(schemas(anyOf).map(typeOf));
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (Array.isArray(type)) return union(type.map((one: string) => typeOf({ type: one })));
  if (Array.isArray(items)) return `[${schemas(items).map(typeOf).join(", ")}]`;
  if (type === "array" && items !== undefined) return `${grouped(typeOf(items as JsonSchema))}[]`;
  if (properties !== undefined) {
    const members = Object.entries(properties as Record<string, JsonSchema>).map(([name, member]) => {
      const mark = (required as string[]).includes(name) ? "" : "?";
      return `${comment(member.description, "  ")}  ${JSON.stringify(name)}${mark}: ${typeOf(member)};\n`;
    });
    return `{\n${members.join("")}}`;
  }
  if (typeof additionalProperties === "object") {
    return `Record<string, ${typeOf(additionalProperties as JsonSchema)}>`;
  }
  if (typeof type !== "string") return "unknown";
  return PRIMITIVES[type] ?? type;
}

function methodLine({ name, params, result, ...rest }: OpenRpcMethod): string {
  const list = params.map(({ name: param, required, schema }) =>
    required ? `${param}: ${typeOf(schema)}` : `${param}?: ${typeOf(schema)} | null`,
  );
  const replaced = rest.deprecated ? ` @deprecated Use ${rest["x-replacement"]}.` : "";
  const said = comment(
    `${rest.summary ?? name}.${result.description ? ` ${result.description}` : ""}${replaced}`,
    "  ",
  );
  return `${said}  ${name}: { params: [${list.join(", ")}]; result: ${typeOf(result.schema)} };\n`;
}

const CLIENT = `
/** What a node answers instead of a result. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }
}

export type Call = <M extends keyof Methods>(method: M, ...params: Methods[M]["params"]) => Promise<Methods[M]["result"]>;

/** Calls the methods of the node at \`url\`. Rejects with an RpcError for an error that the node answers. */
export function client(url: string, headers: Record<string, string> = {}): Call {
  let id = 0;
  return async (method, ...params) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
    });
    const { result = null, error } = (await response.json()) as {
      result?: unknown;
      error?: { code: number; message: string; data?: unknown };
    };
    if (error !== undefined) throw new RpcError(error.code, error.message, error.data);
    return result as Methods[typeof method]["result"];
  };
}
`;

/** A TypeScript module with all types of the API, the types of the methods, and a function that calls them. */
export function typescriptClient({ methods, components }: OpenRpcDocument): string {
  const types = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n\n`,
  );
  return [
    "/** Generated from the description of a node's JSON-RPC API (rpc.discover). */\n\n",
    ...types,
    `export interface Methods {\n${methods.map(methodLine).join("")}}\n`,
    CLIENT,
  ].join("");
}
