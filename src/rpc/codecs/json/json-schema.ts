/**
 * JSON Schema, draft 7. A schema with a title is a type of the API: the description lists it once by that name, so that
 * the name stands for one schema only.
 */
export type JsonSchema = { readonly [keyword: string]: unknown };

type Members = Readonly<Record<string, JsonSchema>>;

/** An object of these members and no others; those of `optional` may be left out. */
export function members(required: Members, optional: Members = {}): JsonSchema {
  const names = Object.keys(required);
  return {
    type: "object",
    properties: { ...required, ...optional },
    ...(names.length > 0 ? { required: names } : {}),
    additionalProperties: false,
  };
}

/** A type of the API by name. `description` says what it is, in sentences. */
export function named(title: string, description: string, schema: JsonSchema): JsonSchema {
  return { title, description, ...schema };
}

/** An object type of the API. */
export function record(title: string, description: string, required: Members, optional: Members = {}): JsonSchema {
  return named(title, description, members(required, optional));
}

/** A schema in a place where more can be said of it. What stands beside a type's own words goes around the type. */
export function about(schema: JsonSchema, description: string): JsonSchema {
  const named = schema.title !== undefined || schema.$ref !== undefined;
  return named ? { allOf: [schema], description } : { ...schema, description };
}

export function listOf(items: JsonSchema, limits: { minItems?: number; maxItems?: number } = {}): JsonSchema {
  return { type: "array", items, ...limits };
}

export function oneOfWords(words: readonly string[], description: string): JsonSchema {
  return { enum: words, description };
}

export function orNull(schema: JsonSchema, description: string): JsonSchema {
  return { anyOf: [schema, NULL], description };
}

/** A type that is described elsewhere, for those that contain themselves. */
export function typeNamed(title: string): JsonSchema {
  return { $ref: `#/components/schemas/${title}` };
}

export const NULL: JsonSchema = { type: "null" };
export const BOOLEAN: JsonSchema = { type: "boolean" };
export const TEXT: JsonSchema = { type: "string" };
/** Any JSON number. */
export const NUMBER: JsonSchema = { type: "number" };
/** A whole number of at least 0. */
export const COUNT: JsonSchema = { type: "integer", minimum: 0 };
