import type { JsonField } from "../../json/json-field.ts";
import { readBigUint, readU32, toHex, u32Bytes } from "../../protocol/bytes.ts";
import { isCanonicalFr } from "../../protocol/field.ts";

/** JSON form of a type. */
export interface JsonCodec<T> {
  /** Throws a DecodeError that names field and rule. */
  fromJson(json: JsonField): T;
  toJson(value: T): unknown;
}

export type FromJson<C> = C extends JsonCodec<infer T> ? T : never;

export const jsonNumber: JsonCodec<number> = {
  fromJson: (json) => {
    const value = json.value as number;
    return Number.isInteger(value) && value >= 0 && value < 2 ** 32
      ? value
      : json.broken("must be a number below 2^32");
  },
  toJson: (value) => value,
};

export const jsonBoolean: JsonCodec<boolean> = {
  fromJson: (json) => json.flag(),
  toJson: (value) => value,
};

/** Any non-negative integer, as decimal text. */
export const jsonDecimal: JsonCodec<bigint> = {
  fromJson: (json) => BigInt(json.text(/^(0|[1-9][0-9]{0,77})$/, "must be decimal digits")),
  toJson: String,
};

/** `length` bytes as lower-case hex with 0x. */
export function jsonHex(length: number): JsonCodec<Uint8Array> {
  const pattern = new RegExp(`^0x[0-9a-f]{${length * 2}}$`);
  const rule = `must be ${length * 2} hex digits after 0x`;
  return {
    fromJson: (json) => Buffer.from(json.text(pattern, rule).slice(2), "hex"),
    toJson: toHex,
  };
}

const word = jsonHex(32);

export const jsonField: JsonCodec<Uint8Array> = {
  fromJson(json) {
    const bytes = word.fromJson(json);
    return isCanonicalFr(bytes) ? bytes : json.broken("must be below the field's modulus");
  },
  toJson: toHex,
};

/** A number that JSON holds as a field element. */
export const jsonNumberAsField: JsonCodec<number> = {
  fromJson(json) {
    const bytes = word.fromJson(json);
    return readBigUint(bytes) < 2n ** 32n ? readU32(bytes, 28) : json.broken("must be below 2^32");
  },
  toJson: (value) => toHex(Buffer.concat([new Uint8Array(28), u32Bytes(value)])),
};

export const jsonBase64: JsonCodec<Uint8Array> = {
  fromJson: (json) => Buffer.from(json.text(/^[A-Za-z0-9+/]*={0,2}$/, "must be base64"), "base64"),
  toJson: (value) => Buffer.from(value).toString("base64"),
};

/** `count` items; any number if undefined. */
export function jsonArray<T>(item: JsonCodec<T>, count?: number): JsonCodec<readonly T[]> {
  return {
    fromJson(json) {
      const items = json.items("must be an array");
      if (count !== undefined && items.length !== count) {
        return json.broken(`must have ${count} items, got ${items.length}`);
      }
      return items.map(item.fromJson);
    },
    toJson: (values) => values.map(item.toJson),
  };
}

/** An array of field elements as one run of bytes. */
export function jsonFields(count?: number): JsonCodec<Uint8Array> {
  const items = jsonArray(jsonField, count);
  return {
    fromJson: (json) => Buffer.concat(items.fromJson(json)),
    toJson: (run) => Array.from({ length: run.length / 32 }, (_, i) => toHex(run.subarray(i * 32, i * 32 + 32))),
  };
}

export function jsonNullable<T>(codec: JsonCodec<T>): JsonCodec<T | undefined> {
  return {
    fromJson: (json) => (json.value === null ? undefined : codec.fromJson(json)),
    toJson: (value) => (value === undefined ? null : codec.toJson(value)),
  };
}

/** A value as the only member of an object. */
export function jsonInObject<T>(name: string, codec: JsonCodec<T>): JsonCodec<T> {
  const object = jsonObject({ [name]: codec });
  return {
    fromJson: (json) => object.fromJson(json)[name],
    toJson: (value) => object.toJson({ [name]: value }),
  };
}

/**
 * An object with exactly these members; they are written in this order. Others are refused, since the text's hash would
 * change if they were dropped. `names` are those that differ in JSON.
 */
export function jsonObject<S extends Record<string, JsonCodec<unknown>>>(
  members: S,
  names: { readonly [K in keyof S]?: string } = {},
): JsonCodec<{ readonly [K in keyof S]: FromJson<S[K]> }> {
  const entries = Object.entries(members).map(([name, codec]) => ({ name, as: names[name] ?? name, codec }));
  const known = new Set(entries.map(({ as }) => as));
  return {
    fromJson(json) {
      json.object();
      const unknown = Object.keys(json.value as object).find((key) => !known.has(key));
      if (unknown !== undefined) return json.broken(`must not have the member ${unknown.slice(0, 40)}`);
      return Object.fromEntries(entries.map(({ name, as, codec }) => [name, codec.fromJson(json.key(as))])) as never;
    },
    toJson: (value) =>
      Object.fromEntries(
        entries.map(({ name, as, codec }) => [as, codec.toJson((value as Record<string, unknown>)[name])]),
      ),
  };
}
