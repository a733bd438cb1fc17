import { Encoder } from "msgpackr";
import { concat } from "../../../src/protocol/bytes.ts";
import { FR_ZERO } from "../../../src/protocol/field.ts";

export type Plain = Record<string, unknown>;

const codec = new Encoder({ useRecords: false, int64AsType: "bigint", largeBigIntToString: true } as object);

/** Messages of the module, in both directions. */
export const encode = (value: unknown): Buffer => codec.encode(value);
export const decode = (value: ArrayBuffer | Uint8Array): unknown => codec.unpack(Buffer.from(value as ArrayBuffer));

/** A field as the module takes it: 32 bytes, leading zeros included. */
export const word = (value: Uint8Array): Buffer =>
  Buffer.from(value.length === 32 ? value : concat(new Uint8Array(32 - value.length), value));
export const words = (bytes: Uint8Array): Buffer[] =>
  Array.from({ length: bytes.length / 32 }, (_, i) => word(bytes.subarray(i * 32, i * 32 + 32)));

/** The values, and zeros up to a number of them. */
export const padded = (values: readonly Uint8Array[], count: number): Buffer[] =>
  Array.from({ length: count }, (_, i) => word(values.at(i) ?? FR_ZERO));
