import { bigUintBytes, concat, isZero, readBigUint } from "../../../protocol/bytes.ts";

/**
 * How a value is given to a circuit: appends its field elements, 32 bytes each, in the order of the circuit's ABI. A
 * part may be a run of several elements.
 */
export type FieldForm<T> = (to: Uint8Array[], value: T) => void;

/** All field elements of a value, back to back. */
export function fieldsOf<T>(form: FieldForm<T>, value: T): Uint8Array {
  const parts: Uint8Array[] = [];
  form(parts, value);
  return concat(...parts);
}

/** Field elements that are kept back to back. */
export const elements: FieldForm<Uint8Array> = (to, run) => to.push(run);

export const integer: FieldForm<number | bigint> = (to, value) => to.push(bigUintBytes(BigInt(value), 32));

export const bit: FieldForm<boolean> = (to, value) => to.push(bigUintBytes(value ? 1n : 0n, 32));

/** At most 32 bytes as one integer. */
export const bytes: FieldForm<Uint8Array> = (to, value) => to.push(bigUintBytes(readBigUint(value), 32));

/** Members in the order of `members`, which is that of the ABI and not always that of their bytes. */
export function record<T>(members: { readonly [K in keyof T]-?: FieldForm<T[K]> }): FieldForm<T> {
  const entries = Object.entries(members) as [keyof T, FieldForm<unknown>][];
  return (to, value) => {
    for (const [name, form] of entries) form(to, value[name]);
  };
}

export function each<T>(item: FieldForm<T>): FieldForm<readonly T[]> {
  return (to, values) => {
    for (const value of values) item(to, value);
  };
}

/** A value in the form of another one that is made from it. */
export function mapped<T, U>(form: FieldForm<U>, change: (value: T) => U): FieldForm<T> {
  return (to, value) => form(to, change(value));
}

/** Bits of a limb in which circuits hold integers of other fields. */
const LIMB_BITS = 120n;

/** An integer as `count` limbs, the lowest first. */
export function limbs(count: number): FieldForm<Uint8Array> {
  return (to, value) => {
    const number = readBigUint(value);
    for (let i = 0n; i < count; i++) integer(to, BigInt.asUintN(Number(LIMB_BITS), number >> (i * LIMB_BITS)));
  };
}

const coordinate = limbs(4);

/** An element of the scalar field of BLS12-381. */
export const blsScalar: FieldForm<Uint8Array> = limbs(3);

/** A point of BLS12-381 from its coordinates (96 bytes, all zero for infinity): both, and whether it is infinity. */
export const blsPoint: FieldForm<Uint8Array> = (to, point) => {
  coordinate(to, point.subarray(0, 48));
  coordinate(to, point.subarray(48));
  bit(to, isZero(point));
};
