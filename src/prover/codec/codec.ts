import { concat } from "../../protocol/bytes.ts";
import { ByteReader } from "./byte-reader.ts";

/** Binary form of a type. All integers are big-endian. Decoded byte arrays are views of the message. */
export interface Codec<T> {
  /** Throws a DecodeError that names field and rule. */
  read(from: ByteReader): T;
  /** Appends the encoded value. Throws a RangeError for a value that the type cannot hold. */
  write(to: Uint8Array[], value: T): void;
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

/** Members one after the other. */
export function struct<S extends Record<string, Codec<unknown>>>(
  members: S,
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
  };
}

/** Checked like `codec` but kept as its bytes. */
export function checkedBytes<T>(codec: Codec<T>, length: number): Codec<Uint8Array> {
  return {
    read(from) {
      const view = from.take(length);
      codec.read(from.sub(view));
      return view;
    },
    write: fixedBytes(length).write,
  };
}

/** `length` bytes of any content. */
export function fixedBytes(length: number): Codec<Uint8Array> {
  return {
    read: (from) => from.take(length),
    write(to, value) {
      if (value.length !== length) throw new RangeError(`needs ${length} bytes, got ${value.length}`);
      to.push(value);
    },
  };
}
