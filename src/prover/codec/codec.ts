import { bigUintBytes, concat, readBigUint } from "../../protocol/bytes.ts";
import { ByteReader } from "./byte-reader.ts";
import { type JsonCodec, jsonArray, jsonHex, jsonObject } from "./json-codec.ts";

/**
 * A type of what circuits take and return, in its three forms: bytes of messages, field elements of the circuits' ABI,
 * and JSON. Structures derive all three from one description of their members.
 */
export interface Codec<T> {
  /**
   * Reads the binary form, in which integers are big-endian. Byte arrays are views of the message. Throws a DecodeError
   * that names field and rule.
   */
  read(from: ByteReader): T;
  /** Appends the binary form. Throws a RangeError for a value that the type cannot hold. */
  write(to: Uint8Array[], value: T): void;
  /** Appends the field elements, 32 bytes each. A part may be a run of several. */
  toFields(to: Uint8Array[], value: T): void;
  readonly json: JsonCodec<T>;
}

export type Decoded<C> = C extends Codec<infer T> ? T : never;

/** Decodes a whole message. Throws a DecodeError for bytes that follow it. */
export function decode<T>(codec: Codec<T>, subject: string, bytes: Uint8Array): T {
  const reader = new ByteReader(subject, bytes);
  const value = codec.read(reader);
  if (reader.left > 0) reader.fail(`${reader.left} bytes follow the end`);
  return value;
}

export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  const parts: Uint8Array[] = [];
  codec.write(parts, value);
  return concat(...parts);
}

/** All field elements of a value, back to back. */
export function fieldsOf<T>(codec: Codec<T>, value: T): Uint8Array {
  const parts: Uint8Array[] = [];
  codec.toFields(parts, value);
  return concat(...parts);
}

/** Where the forms of a structure differ. */
interface Differences<S> {
  /** Members that circuits take, in their order. */
  readonly abi?: readonly (keyof S)[];
  /** Names of members in JSON. */
  readonly names?: { readonly [K in keyof S]?: string };
}

/** Members one after the other. */
export function struct<S extends Record<string, Codec<unknown>>>(
  members: S,
  { abi = Object.keys(members), names }: Differences<S> = {},
): Codec<{ readonly [K in keyof S]: Decoded<S[K]> }> {
  const entries = Object.entries(members);
  return {
    read(from) {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = from.member(name, codec.read);
      return value as { readonly [K in keyof S]: Decoded<S[K]> };
    },
    write(to, value) {
      for (const [name, codec] of entries) codec.write(to, value[name]);
    },
    toFields(to, value) {
      for (const name of abi) members[name].toFields(to, value[name]);
    },
    json: jsonObject(Object.fromEntries(entries.map(([name, { json }]) => [name, json])), names) as never,
  };
}

/** Exactly `count` items. */
export function array<T>(item: Codec<T>, count: number): Codec<readonly T[]> {
  return {
    read: (from) => Array.from({ length: count }, (_, i) => from.member(i, item.read)),
    write(to, values) {
      if (values.length !== count) throw new RangeError(`needs ${count} items, got ${values.length}`);
      for (const value of values) item.write(to, value);
    },
    toFields(to, values) {
      for (const value of values) item.toFields(to, value);
    },
    json: jsonArray(item.json, count),
  };
}

/** Checked like `codec` but kept as its bytes. */
export function checkedBytes<T>(codec: Codec<T>, length: number): Codec<Uint8Array> {
  const decoded = (bytes: Uint8Array) => decode(codec, `value of ${length} bytes`, bytes);
  return {
    read(from) {
      const view = from.take(length);
      codec.read(from.sub(view));
      return view;
    },
    write: fixedBytes(length).write,
    toFields: (to, bytes) => codec.toFields(to, decoded(bytes)),
    json: {
      fromJson: (json) => encode(codec, codec.json.fromJson(json)),
      toJson: (bytes) => codec.json.toJson(decoded(bytes)),
    },
  };
}

/** `length` bytes of any content. Circuits take at most 32, as one integer. */
export function fixedBytes(length: number): Codec<Uint8Array> {
  return {
    read: (from) => from.take(length),
    write(to, value) {
      if (value.length !== length) throw new RangeError(`needs ${length} bytes, got ${value.length}`);
      to.push(value);
    },
    toFields: (to, value) => to.push(bigUintBytes(readBigUint(value), 32)),
    json: jsonHex(length),
  };
}
