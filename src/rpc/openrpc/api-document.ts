import type { JsonSchema } from "../params/codec.ts";
import type { OpenRpcDocument, OpenRpcMethod } from "./document.ts";

/** A schema in a few words: its title, its alternatives, its limits. */
export function shortSchema(schema: JsonSchema): string {
  const { title, type, items, properties, anyOf, minimum, exclusiveMinimum, maximum, maxItems, maxLength } = schema;
  if (typeof title === "string") return title;
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" \\| ");
  if (Array.isArray(anyOf)) return anyOf.map((one) => shortSchema(one as JsonSchema)).join(" \\| ");
  if (type === "array") return `${shortSchema((items ?? {}) as JsonSchema)}[]${limits({ most: maxItems })}`;
  if (properties !== undefined) {
    const needed = (schema.required ?? []) as string[];
    const keys = Object.entries(properties as Record<string, JsonSchema>).map(
      ([key, value]) => `${key}${needed.includes(key) ? "" : "?"}: ${shortSchema(value)}`,
    );
    return `{ ${keys.join(", ")} }`;
  }
  const name = Array.isArray(type) ? type.join(" or ") : (type ?? "any");
  return `${name}${limits({ least: minimum, above: exclusiveMinimum, most: maximum ?? maxLength })}`;
}

function limits({ least, above, most }: { least?: unknown; above?: unknown; most?: unknown }): string {
  const parts = [
    ...(least === undefined ? [] : [`>= ${least}`]),
    ...(above === undefined ? [] : [`> ${above}`]),
    ...(most === undefined ? [] : [`at most ${most}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function row({ name, params, result, summary = "", ...rest }: OpenRpcMethod): string {
  const shown = params.map((one) => `${one.name}${one.required ? "" : "?"}: ${shortSchema(one.schema)}`);
  const note = rest.deprecated ? ` (deprecated: use ${rest["x-replacement"]})` : "";
  return `| \`${name}\` | ${shown.join("; ")} | ${result.name.replaceAll("|", "\\|")} | ${summary}${note} |`;
}

/** docs/api.md: the description of the API as Markdown, a section for each title. */
export function apiDocument(sections: readonly { title: string; document: OpenRpcDocument }[]): string {
  const lines = [
    "# JSON-RPC methods",
    "",
    "Generated from the registry of methods by `npm run docs`; do not edit by hand. The same description, with full schemas, is the",
    "answer of `rpc.discover` (OpenRPC 1.3).",
    "",
    "Parameters are positional. A `?` marks one that may be left out or null, and a result that may be nothing: then",
    "`node_` methods answer without a `result`, `svc_` methods with `null`.",
    "",
  ];
  for (const { title, document } of sections) {
    lines.push(`## ${title}`, "", "| Method | Parameters | Result | Meaning |", "|---|---|---|---|");
    lines.push(...document.methods.map(row), "");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}
