import { isObject } from "../../../json/json-field.ts";
import { INVALID_PARAMS, RpcError } from "../../jsonrpc/errors.ts";
import { about, type JsonSchema, named } from "./json-schema.ts";

/** A broken rule of a parameter and its location (docs/protocol/05-rpc.md#54-statuses-and-failures). */
export interface Issue {
  text: string;
  /** Parameter index, then object keys and array indexes. Empty for the parameter list itself. */
  path: Path;
}

export type Path = readonly (string | number)[];

/** Most issues to collect: the text of an issue may be longer than the value that caused it. */
const MAX_ISSUES = 100;

/**
 * Reads a JSON value as a T. A broken rule of form is added to `issues` and the return value is then meaningless; this
 * way every field is checked before the answer. A well-formed value that is not a T throws an ExecutionError.
 * `undefined` stands for a missing parameter or key.
 */
export interface Codec<T> {
  /** Shown in the API description; not used for validation. */
  readonly schema?: JsonSchema;
  read(value: unknown, path: Path, issues: Issue[]): T;
}

/** The same codec with a description of what the value is for. */
export function described<C extends Codec<unknown>>(codec: C, description: string): C {
  return { ...codec, schema: about(codec.schema ?? {}, description) };
}

/** The same codec as a named type of the API. */
export function typed<C extends Codec<unknown>>(codec: C, title: string, description: string): C {
  return { ...codec, schema: named(title, description, codec.schema ?? {}) };
}

/** The same codec with its value turned into another, unless an issue was found. */
export function mapped<T, U>(codec: Codec<T>, map: (value: T) => U): Codec<U> {
  return {
    schema: codec.schema,
    read(value, path, issues) {
      const before = issues.length;
      const read = codec.read(value, path, issues);
      return issues.length === before ? map(read) : (undefined as U);
    },
  };
}

/** Adds an issue and returns a placeholder, which no handler ever sees. */
export function rejected<T>(issues: Issue[], path: Path, text: string): T {
  issues.push({ text, path });
  return undefined as T;
}

/** The issues of one parameter list as the error to answer with. */
export function issuesError(issues: readonly Issue[]): RpcError {
  const named = issues.slice(0, MAX_ISSUES).map(({ text, path }) => `${text} (${path.join(".")})`);
  if (issues.length > MAX_ISSUES) named.push("And more");
  return new RpcError(INVALID_PARAMS, named.join(". "));
}

/** Name of a JSON value's type in the texts of issues. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isNaN(value)) return "nan";
  return typeof value;
}

/** A value as messages show it: text quoted and truncated, otherwise its type. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return `'${value.slice(0, 80)}'`;
  return typeof value === "number" ? `${value}` : typeName(value);
}

export function wrongType<T>(issues: Issue[], path: Path, expected: string, value: unknown): T {
  return rejected(issues, path, value === undefined ? "Required" : `Expected ${expected}, received ${typeName(value)}`);
}

/** Null and a missing value mean the fallback. */
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

/**
 * An array of `least` to `most` elements. Elements are not checked if the length is wrong, nor after MAX_ISSUES
 * issues.
 */
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
      for (let i = 0; i < value.length && issues.length <= MAX_ISSUES; i++) {
        read.push(element.read(value[i], [...path, i], issues));
      }
      return read;
    },
  };
}

/** Marks codecs of keys that may be missing. */
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
 * An object with the given keys; unknown keys are ignored. The codec of an optional key is wrapped in `absent`. Every
 * field is read before the answer, even if one fails to convert (then the first failure is the answer).
 */
export function object<F extends Fields>(fields: F): Codec<FieldValues<F>> {
  return {
    schema: objectSchema(fields),
    read(value, path, issues) {
      if (!isObject(value)) return wrongType(issues, path, "object", value);
      const failures: unknown[] = [];
      const entries = Object.keys(fields).map((key) => {
        const given = Object.hasOwn(value, key) ? value[key] : undefined;
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

/** Codec of a key that may be missing but not null. */
export function absent<T>(codec: Codec<T>): OmittableCodec<T | undefined> {
  return {
    [OMITTABLE]: true,
    schema: codec.schema,
    read: (value, path, issues) => (value === undefined ? undefined : codec.read(value, path, issues)),
  };
}

/** Converts what a codec reads. `convert` sees only values that broke no rule, and may throw an ExecutionError. */
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

/**
 * Adds a rule about the whole value: `broken` returns the text of a violation. It is checked only if no part broke a
 * rule.
 */
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
