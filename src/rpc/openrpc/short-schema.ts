import type { JsonSchema } from "../codecs/json/json-schema.ts";

/** A schema in a few words: its title, alternatives or bounds. */
export function shortSchema(schema: JsonSchema): string {
  const {
    title,
    $ref,
    allOf,
    type,
    items,
    properties,
    anyOf,
    minimum,
    exclusiveMinimum,
    maximum,
    maxItems,
    maxLength,
  } = schema;
  if (typeof title === "string") return title;
  if (typeof $ref === "string") return $ref.slice($ref.lastIndexOf("/") + 1);
  if (Array.isArray(allOf)) return allOf.map((one) => shortSchema(one as JsonSchema)).join(" & ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (Array.isArray(anyOf)) return anyOf.map((one) => shortSchema(one as JsonSchema)).join(" | ");
  if (Array.isArray(items)) return `[${items.map((one) => shortSchema(one as JsonSchema)).join(", ")}]`;
  if (type === "array") {
    const element = shortSchema((items ?? {}) as JsonSchema);
    return `${element.includes(" | ") ? `(${element})` : element}[]${limits({ most: maxItems })}`;
  }
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
