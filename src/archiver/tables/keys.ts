import { readUint, writeU32, writeUint } from "../../protocol/bytes.ts";

/** Key of a block, checkpoint or slot number: u32. */
export function numberKey(number: number): Uint8Array {
  const key = new Uint8Array(4);
  writeU32(key, 0, number);
  return key;
}

/** Key or value of an index that may exceed 2^32: u48. */
export function indexKey(index: number): Uint8Array {
  const key = new Uint8Array(6);
  writeUint(key, 0, 6, index);
  return key;
}

export function readIndex(bytes: Uint8Array, at = 0): number {
  return readUint(bytes, at, 6);
}

export const LAST_NUMBER_KEY: Uint8Array = new Uint8Array(4).fill(255);
export const LAST_INDEX_KEY: Uint8Array = new Uint8Array(6).fill(255);
