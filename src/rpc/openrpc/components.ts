import type { JsonSchema } from "../codecs/json/json-schema.ts";

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const OF_SCHEMAS: ReadonlySet<string> = new Set(["items", "anyOf", "allOf", "additionalProperties"]);
const BY_NAME: ReadonlySet<string> = new Set(["properties"]);

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The types of an API by title. Each is described once; everywhere else is a reference to it. */
export class Components {
  readonly #schemas = new Map<string, JsonSchema>();

  /**
   * The schema with its named types replaced by references. Throws a RangeError if two different types have one title.
   */
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

  /** Schemas by title, in alphabetical order. */
  get schemas(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
