import { bigUintBytes, readBigUint, readU32, toHex, u32Bytes } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { isCanonicalFr } from "../../protocol/field.ts";

/** JSON form of a type. */
export interface JsonCodec<T> {
  /** `path` names the value in errors. Throws a DecodeError that names field and rule. */
  fromJson(value: unknown, path: string): T;
  toJson(value: T): unknown;
}

export type FromJson<C> = C extends JsonCodec<infer T> ? T : never;

function fail(path: string, rule: string): never {
  throw new DecodeError(path, rule);
}

export const jsonNumber: JsonCodec<number> = {
  fromJson: (value, path) =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32
      ? (value as number)
      : fail(path, "must be a number below 2^32"),
  toJson: (value) => value,
};

export const jsonBoolean: JsonCodec<boolean> = {
  fromJson: (value, path) => (typeof value === "boolean" ? value : fail(path, "must be true or false")),
  toJson: (value) => value,
};

const DECIMAL = /^(0|[1-9][0-9]{0,77})$/;

/** Any non-negative integer, as decimal text. */
export const jsonDecimal: JsonCodec<bigint> = {
  fromJson: (value, path) =>
    typeof value === "string" && DECIMAL.test(value) ? BigInt(value) : fail(path, "must be decimal digits"),
  toJson: String,
};

/** `length` bytes as lower-case hex with 0x. */
export function jsonHex(length: number): JsonCodec<Uint8Array> {
  const pattern = new RegExp(`^0x[0-9a-f]{${length * 2}}$`);
  return {
    fromJson: (value, path) =>
      typeof value === "string" && pattern.test(value)
        ? Buffer.from(value.slice(2), "hex")
        : fail(path, `must be ${length * 2} hex digits after 0x`),
    toJson: toHex,
  };
}

const word = jsonHex(32);

export const jsonField: JsonCodec<Uint8Array> = {
  fromJson(value, path) {
    const bytes = word.fromJson(value, path);
    return isCanonicalFr(bytes) ? bytes : fail(path, "must be below the field's modulus");
  },
  toJson: toHex,
};

/** A number that JSON holds as a field element. */
export const jsonNumberAsField: JsonCodec<number> = {
  fromJson(value, path) {
    const bytes = word.fromJson(value, path);
    return readBigUint(bytes) < 2n ** 32n ? readU32(bytes, 28) : fail(path, "must be below 2^32");
  },
  toJson: (value) => toHex(Buffer.concat([new Uint8Array(28), u32Bytes(value)])),
};

/** A 32-byte integer that JSON holds as decimal text. */
export const jsonDecimalWord: JsonCodec<Uint8Array> = {
  fromJson(value, path) {
    const number = jsonDecimal.fromJson(value, path);
    return number < 2n ** 256n ? bigUintBytes(number, 32) : fail(path, "must be below 2^256");
  },
  toJson: (value) => String(readBigUint(value)),
};

export const jsonBase64: JsonCodec<Uint8Array> = {
  fromJson: (value, path) =>
    typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
      ? Buffer.from(value, "base64")
      : fail(path, "must be base64"),
  toJson: (value) => Buffer.from(value).toString("base64"),
};

/** `count` items; any number if undefined. */
export function jsonArray<T>(item: JsonCodec<T>, count?: number): JsonCodec<readonly T[]> {
  return {
    fromJson(value, path) {
      if (!Array.isArray(value)) return fail(path, "must be an array");
      if (count !== undefined && value.length !== count) {
        return fail(path, `must have ${count} items, got ${value.length}`);
      }
      return value.map((each, i) => item.fromJson(each, `${path}[${i}]`));
    },
    toJson: (values) => values.map(item.toJson),
  };
}

/** An array of field elements as one run of bytes. */
export function jsonFields(count?: number): JsonCodec<Uint8Array> {
  const items = jsonArray(jsonField, count);
  return {
    fromJson: (value, path) => Buffer.concat(items.fromJson(value, path)),
    toJson: (run) => Array.from({ length: run.length / 32 }, (_, i) => toHex(run.subarray(i * 32, i * 32 + 32))),
  };
}

export function jsonNullable<T>(codec: JsonCodec<T>): JsonCodec<T | undefined> {
  return {
    fromJson: (value, path) => (value === null ? undefined : codec.fromJson(value, path)),
    toJson: (value) => (value === undefined ? null : codec.toJson(value)),
  };
}

/** A member under another name in JSON. */
export interface RenamedMember<T> {
  readonly as: string;
  readonly codec: JsonCodec<T>;
}

/**
 * An object with exactly these members; they are written in this order. Others are refused, since the text's hash would
 * change if they were dropped.
 */
export function jsonObject<S extends Record<string, JsonCodec<unknown> | RenamedMember<unknown>>>(
  members: S,
): JsonCodec<{
  readonly [K in keyof S]: S[K] extends RenamedMember<infer T> ? T : FromJson<S[K]>;
}> {
  const entries = Object.entries(members).map(([name, member]) =>
    "as" in member ? { name, json: member.as, codec: member.codec } : { name, json: name, codec: member },
  );
  return {
    fromJson(value, path) {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(path, "must be an object");
      const given = value as Record<string, unknown>;
      const unknown = Object.keys(given).find((key) => entries.every(({ json }) => json !== key));
      if (unknown !== undefined) return fail(path, `must not have the member ${unknown.slice(0, 40)}`);
      return Object.fromEntries(
        entries.map(({ name, json, codec }) => [name, codec.fromJson(given[json], `${path}.${json}`)]),
      ) as never;
    },
    toJson: (value) =>
      Object.fromEntries(
        entries.map(({ name, json, codec }) => [json, codec.toJson((value as Record<string, unknown>)[name])]),
      ),
  };
}
