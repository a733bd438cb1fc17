import { INVALID_PARAMS, RpcError } from "../jsonrpc/errors.ts";
import { about, type JsonSchema, named } from "../schema/json-schema.ts";

/** A rule that a parameter breaks, and where (sheet 02 section 1.5). */
export interface Issue {
  text: string;
  /** Parameter index, then object keys and array indexes. Empty for the parameter list itself. */
  path: Path;
}

export type Path = readonly (string | number)[];

/** Broken rules that are looked for: the text of each may be longer than what broke it. */
export const MOST_ISSUES = 100;

/**
 * Reads a JSON value as a T. A broken rule of form is added to `issues` and the result is then meaningless, so that every
 * field is looked at before the answer. A value of the right form that is no T throws an ExecutionError. `undefined` stands
 * for a parameter or key that was not given.
 */
export interface Codec<T> {
  /** What the description of the API shows; nothing is validated by it. */
  readonly schema?: JsonSchema;
  read(value: unknown, path: Path, issues: Issue[]): T;
}

/** The same codec, of which the description of the API says more: what the value is for. */
export function described<C extends Codec<unknown>>(codec: C, description: string): C {
  return { ...codec, schema: about(codec.schema ?? {}, description) };
}

/** The same codec as a type of the API with a name. */
export function typed<C extends Codec<unknown>>(codec: C, title: string, description: string): C {
  return { ...codec, schema: named(title, description, codec.schema ?? {}) };
}

/** What a codec returns beside an issue: never seen by a handler. */
export function rejected<T>(issues: Issue[], path: Path, text: string): T {
  issues.push({ text, path });
  return undefined as T;
}

/** Rule violations of one parameter list as the error that answers it. */
export function issuesError(issues: readonly Issue[]): RpcError {
  const named = issues.slice(0, MOST_ISSUES).map(({ text, path }) => `${text} (${path.join(".")})`);
  if (issues.length > MOST_ISSUES) named.push("And more");
  return new RpcError(INVALID_PARAMS, named.join(". "));
}

/** Name of a JSON value's type in the texts of issues. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isNaN(value)) return "nan";
  return typeof value;
}

/** A value in a message: text in quotes and cut, of anything else the type. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return `'${value.slice(0, 80)}'`;
  return typeof value === "number" ? `${value}` : typeName(value);
}

export function wrongType<T>(issues: Issue[], path: Path, expected: string, value: unknown): T {
  return rejected(issues, path, value === undefined ? "Required" : `Expected ${expected}, received ${typeName(value)}`);
}

/** Null and "not given" mean the fallback. */
export interface OptionalCodec<T> extends Codec<T> {
  readonly optional: true;
}

export function optional<T>(codec: Codec<T>): OptionalCodec<T | undefined>;
export function optional<T>(codec: Codec<T>, fallback: T): OptionalCodec<T>;
export function optional<T>(codec: Codec<T>, fallback?: T): OptionalCodec<T | undefined> {
  return {
    optional: true,
    schema: codec.schema,
    read: (value, path, issues) => (value === undefined || value === null ? fallback : codec.read(value, path, issues)),
  };
}

/** An array of `least` to `most` elements. Elements of a longer or shorter one are not looked at, nor those behind MOST_ISSUES faults. */
export function array<T>(element: Codec<T>, most = Number.POSITIVE_INFINITY, least = 0): Codec<T[]> {
  return {
    schema: {
      type: "array",
      items: element.schema ?? {},
      ...(Number.isFinite(most) ? { maxItems: most } : {}),
      ...(least > 0 ? { minItems: least } : {}),
    },
    read(value, path, issues) {
      if (!Array.isArray(value)) return wrongType(issues, path, "array", value);
      if (value.length < least) return rejected(issues, path, `Array must contain at least ${least} element(s)`);
      if (value.length > most) return rejected(issues, path, `Array must contain at most ${most} element(s)`);
      const read: T[] = [];
      for (let i = 0; i < value.length && issues.length <= MOST_ISSUES; i++) {
        read.push(element.read(value[i], [...path, i], issues));
      }
      return read;
    },
  };
}

/** Keys whose codec takes "not given" for an answer. */
const OMITTABLE = Symbol("omittable");
interface OmittableCodec<T> extends Codec<T> {
  readonly [OMITTABLE]: true;
}

function required(codec: Codec<unknown>): boolean {
  return !(OMITTABLE in codec) && !("optional" in codec);
}

function objectSchema(fields: Fields): JsonSchema {
  const keys = Object.keys(fields);
  const needed = keys.filter((key) => required(fields[key]));
  return {
    type: "object",
    properties: Object.fromEntries(keys.map((key) => [key, fields[key].schema ?? {}])),
    ...(needed.length > 0 ? { required: needed } : {}),
  };
}

type Fields = Record<string, Codec<unknown>>;
type FieldValues<F extends Fields> = { [K in keyof F]: F[K] extends Codec<infer T> ? T : never };

/**
 * An object with the given keys; unknown keys are ignored. A key that may be left out has an `absent` codec around its own.
 * Every field is read before the answer, also when one of them fails to convert (then the first failure is the answer).
 */
export function object<F extends Fields>(fields: F): Codec<FieldValues<F>> {
  return {
    schema: objectSchema(fields),
    read(value, path, issues) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        return wrongType(issues, path, "object", value);
      }
      const failures: unknown[] = [];
      const entries = Object.keys(fields).map((key) => {
        const given = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
        try {
          return [key, fields[key].read(given, [...path, key], issues)];
        } catch (error) {
          failures.push(error);
          return [key, undefined];
        }
      });
      if (failures.length > 0) throw failures[0];
      return Object.fromEntries(entries) as FieldValues<F>;
    },
  };
}

/** A key of an object that may be left out, but not be null. */
export function absent<T>(codec: Codec<T>): OmittableCodec<T | undefined> {
  return {
    [OMITTABLE]: true,
    schema: codec.schema,
    read: (value, path, issues) => (value === undefined ? undefined : codec.read(value, path, issues)),
  };
}

/** What a codec reads, turned into something else. `convert` sees only values that broke no rule, and may throw an ExecutionError. */
export function converted<T, U>(codec: Codec<T>, convert: (value: T) => U): Codec<U> {
  return {
    schema: codec.schema,
    read(value, path, issues) {
      const before = issues.length;
      const read = codec.read(value, path, issues);
      return issues.length === before ? convert(read) : (undefined as U);
    },
  };
}

/** A rule over the parts of a value: `broken` gives the text of the broken one. Looked at only when no part broke a rule. */
export function ruled<T>(codec: Codec<T>, broken: (value: T) => string | undefined): Codec<T> {
  return {
    schema: codec.schema,
    read(value, path, issues) {
      const before = issues.length;
      const read = codec.read(value, path, issues);
      const text = issues.length === before ? broken(read) : undefined;
      return text === undefined ? read : rejected(issues, path, text);
    },
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
