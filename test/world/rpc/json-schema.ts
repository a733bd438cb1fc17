import type { JsonSchema } from "../../../src/rpc/codecs/json/json-schema.ts";
import type { OpenRpcDocument } from "../../../src/rpc/openrpc/document.ts";

/** Keywords that describe the schema and do not restrict values. */
const SILENT: ReadonlySet<string> = new Set(["title", "description", "contentEncoding"]);

type Check = (rule: never, value: unknown, at: string, of: Checker, schema: JsonSchema) => string[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

const when = (broken: boolean, at: string, rule: string) => (broken ? [`${at} ${rule}`] : []);

const CHECKS: Readonly<Record<string, Check>> = {
  type: (types: string | string[], value, at) => {
    const wanted = [types].flat();
    const own = typeOf(value);
    return when(!wanted.includes(own) && !(own === "integer" && wanted.includes("number")), at, `is not ${types}`);
  },
  const: (only: unknown, value, at) => when(value !== only, at, `is not ${JSON.stringify(only)}`),
  enum: (values: unknown[], value, at) => when(!values.includes(value), at, `is none of ${JSON.stringify(values)}`),
  pattern: (pattern: string, value, at) =>
    when(typeof value === "string" && !new RegExp(pattern).test(value), at, `is not of the form ${pattern}`),
  minimum: (least: number, value, at) => when((value as number) < least, at, `is below ${least}`),
  exclusiveMinimum: (above: number, value, at) => when((value as number) <= above, at, `is not above ${above}`),
  maximum: (most: number, value, at) => when((value as number) > most, at, `is above ${most}`),
  maxLength: (most: number, value, at) => when(typeof value === "string" && value.length > most, at, "is too long"),
  minItems: (least: number, value, at) => when(Array.isArray(value) && value.length < least, at, "has too few items"),
  maxItems: (most: number, value, at) => when(Array.isArray(value) && value.length > most, at, "has too many items"),
  maxProperties: (most: number, value, at) =>
    when(isObject(value) && Object.keys(value).length > most, at, "has too many members"),
  required: (names: string[], value, at) =>
    isObject(value) ? names.flatMap((name) => when(!Object.hasOwn(value, name), at, `lacks ${name}`)) : [],
  properties: (members: Record<string, JsonSchema>, value, at, of) =>
    isObject(value)
      ? Object.entries(members).flatMap(([name, schema]) =>
          Object.hasOwn(value, name) ? of.violations(value[name], schema, `${at}.${name}`) : [],
        )
      : [],
  additionalProperties: (rule: boolean | JsonSchema, value, at, of, { properties = {} }) => {
    if (!isObject(value) || rule === true) return [];
    const others = Object.keys(value).filter((name) => !Object.hasOwn(properties as object, name));
    if (rule === false) return others.map((name) => `${at} has ${name}`);
    return others.flatMap((name) => of.violations(value[name], rule, `${at}.${name}`));
  },
  items: (rule: JsonSchema | JsonSchema[], value, at, of) =>
    Array.isArray(value)
      ? value.flatMap((item, i) => {
          const schema = Array.isArray(rule) ? rule[i] : rule;
          return schema === undefined ? [] : of.violations(item, schema, `${at}[${i}]`);
        })
      : [],
  additionalItems: (rule: boolean, value, at, _of, { items }) =>
    when(rule === false && Array.isArray(value) && value.length > (items as unknown[]).length, at, "has further items"),
  allOf: (schemas: JsonSchema[], value, at, of) => schemas.flatMap((schema) => of.violations(value, schema, at)),
  anyOf: (schemas: JsonSchema[], value, at, of) => {
    const tried = schemas.map((schema) => of.violations(value, schema, at));
    if (tried.some((violations) => violations.length === 0)) return [];
    return [`${at} is of no form: ${tried.map((violations) => violations.join(", ")).join("; or ")}`];
  },
  $ref: (reference: string, value, at, of) => of.violations(value, of.referred(reference), at),
};

/**
 * Checks values against the JSON Schemas (draft 7) of an API description. Throws on an unknown keyword.
 */
export class Checker {
  readonly #document: OpenRpcDocument;
  readonly #results: ReadonlyMap<string, JsonSchema>;

  constructor(document: OpenRpcDocument) {
    this.#document = document;
    this.#results = new Map(document.methods.map(({ name, result }) => [name, result.schema]));
  }

  /** Lists where a method's result breaks its schema; no result counts as null. */
  resultViolations(method: string, result: unknown): string[] {
    const schema = this.#results.get(method);
    return schema === undefined ? [`${method} is not described`] : this.violations(result ?? null, schema, method);
  }

  referred(reference: string): JsonSchema {
    const name = reference.slice("#/components/schemas/".length);
    const found = this.#document.components.schemas[name];
    if (found === undefined) throw new RangeError(`${reference} is not there`);
    return found;
  }

  violations(value: unknown, schema: JsonSchema, at: string): string[] {
    return Object.entries(schema).flatMap(([keyword, rule]) => {
      if (SILENT.has(keyword)) return [];
      const check = CHECKS[keyword];
      if (check === undefined) throw new RangeError(`${at}: keyword ${keyword} is not known here`);
      return check(rule as never, value, at, this, schema);
    });
  }
}
