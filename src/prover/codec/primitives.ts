import { bigUintBytes, readBigUint, readU32, u32Bytes } from "../../protocol/bytes.ts";
import { isCanonicalFr } from "../../protocol/field.ts";
import type { ByteReader } from "./byte-reader.ts";
import { type Codec, fixedBytes } from "./codec.ts";
import { jsonBase64, jsonBoolean, jsonDecimal, jsonField, jsonFields, jsonNumber } from "./json-codec.ts";

/** First byte of the BN254 scalar modulus: words that begin with a smaller one are canonical. */
const MODULUS_TOP_BYTE = 0x30;

/** Appends an integer as one field element. */
export function integerField(to: Uint8Array[], value: number | bigint): void {
  to.push(bigUintBytes(BigInt(value), 32));
}

function runOfFields(to: Uint8Array[], run: Uint8Array): void {
  to.push(run);
}

export const flag: Codec<boolean> = {
  read(from) {
    const [value] = from.take(1);
    return value > 1 ? from.fail(`must be 0 or 1, got ${value}`) : value === 1;
  },
  write: (to, value) => to.push(Uint8Array.of(value ? 1 : 0)),
  toFields: (to, value) => integerField(to, value ? 1 : 0),
  json: jsonBoolean,
};

export const u32: Codec<number> = {
  read: (from) => readU32(from.take(4), 0),
  write: (to, value) => to.push(u32Bytes(value)),
  toFields: integerField,
  json: jsonNumber,
};

export const u64: Codec<bigint> = bigUint(8);
export const u128: Codec<bigint> = bigUint(16);

/** A field element. */
export const field: Codec<Uint8Array> = { ...fields(1), json: jsonField };

/** `count` field elements back to back, as one run of bytes. */
export function fields(count: number): Codec<Uint8Array> {
  const { read, write } = fixedBytes(count * 32);
  return {
    read: (from) => canonicalWords(from, read(from)),
    write,
    toFields: runOfFields,
    json: jsonFields(count),
  };
}

/** A count and as many field elements, as one run of bytes. */
export function countedFields(maxFields: number): Codec<Uint8Array> {
  return {
    read(from) {
      const count = u32.read(from);
      if (count > maxFields) from.fail(`must have at most ${maxFields} fields, got ${count}`);
      return canonicalWords(from, from.take(count * 32));
    },
    write(to, value) {
      to.push(u32Bytes(value.length / 32), value);
    },
    toFields: runOfFields,
    json: jsonFields(),
  };
}

/** A length and as many bytes. */
export function countedBytes(maxBytes: number): Codec<Uint8Array> {
  return {
    read(from) {
      const length = u32.read(from);
      if (length > maxBytes) from.fail(`must have at most ${maxBytes} bytes, got ${length}`);
      return from.take(length);
    },
    write(to, value) {
      to.push(u32Bytes(value.length), value);
    },
    toFields() {
      throw new TypeError("circuits take no bytes of any length");
    },
    json: jsonBase64,
  };
}

function bigUint(bytes: number): Codec<bigint> {
  return {
    read: (from) => readBigUint(from.take(bytes), 0, bytes),
    write: (to, value) => to.push(bigUintBytes(value, bytes)),
    toFields: integerField,
    json: jsonDecimal,
  };
}

function canonicalWords(from: ByteReader, words: Uint8Array): Uint8Array {
  for (let at = 0; at < words.length; at += 32) {
    if (words[at] >= MODULUS_TOP_BYTE && !isCanonicalFr(words, at)) {
      from.fail(
        words.length === 32 ? "must be below the field's modulus" : `field ${at / 32} is not below the modulus`,
      );
    }
  }
  return words;
}

/** A member that a generation does not have, in no form. */
export const absent: Codec<undefined> = {
  read: () => undefined,
  write() {},
  toFields() {},
  json: { fromJson: () => undefined, toJson: () => undefined },
};
