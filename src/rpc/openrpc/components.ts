import type { JsonSchema } from "../schema/json-schema.ts";

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const OF_SCHEMAS: ReadonlySet<string> = new Set(["items", "anyOf", "allOf", "additionalProperties"]);
const BY_NAME: ReadonlySet<string> = new Set(["properties"]);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The types of an API by their titles: each is described once, where it stands there is a reference. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /** The schema with references for the types in it. Throws a RangeError when two types have one title. */
  referring(schema: JsonSchema): JsonSchema {
    const { title } = schema;
    if (typeof title !== "string") return this.#within(schema);
    const type = this.#within(schema);
    const known = this.#schemas.get(title);
    if (known === undefined) this.#schemas.set(title, type);
    else if (JSON.stringify(known) !== JSON.stringify(type)) throw new RangeError(`two types are named ${title}`);
    return { $ref: `#/components/schemas/${title}` };
  }

  #within(schema: JsonSchema): JsonSchema {
    const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if (BY_NAME.has(keyword) && isSchema(value)) {
        const members = Object.entries(value as Record<string, JsonSchema>);
        return [keyword, Object.fromEntries(members.map(([name, member]) => [name, this.referring(member)]))];
      }
      if (!OF_SCHEMAS.has(keyword)) return [keyword, value];
      if (Array.isArray(value)) return [keyword, value.map((one: JsonSchema) => this.referring(one))];
      return [keyword, isSchema(value) ? this.referring(value) : value];
    });
    return Object.fromEntries(entries);
  }

  /** By title, in alphabetical order. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
