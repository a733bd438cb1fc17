import { readU32, writeU32, writeUint } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";

/**
 * Keys of rows and the integers in them, which tables.ts lists: block numbers of 4 bytes, positions of 6, big-endian.
 */

export function blockKey(block: number): Uint8Array {
  const key = new Uint8Array(4);
  writeBlockKey(key, block);
  return key;
}

export function writeBlockKey(key: Uint8Array, block: number): void {
  writeU32(key, 0, block);
}

export function positionKey(tree: TreeId, position: number): Uint8Array {
  const key = new Uint8Array(7);
  key[0] = tree;
  writeUint(key, 1, 6, position);
  return key;
}

export const VALUE_KEY_BYTES = 33;

export function valueKey(tree: TreeId, value: Uint8Array): Uint8Array {
  return writeValueKey(new Uint8Array(VALUE_KEY_BYTES), tree, value);
}

export function writeValueKey(key: Uint8Array, tree: TreeId, value: Uint8Array): Uint8Array {
  key[0] = tree;
  key.set(value, 1);
  return key;
}

/** A key of a history table: the versioned key, then the last block for which the version held. */
export function historyKey(versioned: Uint8Array, lastBlock: number): Uint8Array {
  const key = new Uint8Array(versioned.length + 4);
  key.set(versioned);
  writeU32(key, versioned.length, lastBlock);
  return key;
}

export function positionBytes(position: number): Uint8Array {
  const bytes = new Uint8Array(6);
  writeUint(bytes, 0, 6, position);
  return bytes;
}

export function readPosition(bytes: Uint8Array, at = 0): number {
  return ((bytes[at] << 8) | bytes[at + 1]) * 2 ** 32 + readU32(bytes, at + 2);
}
