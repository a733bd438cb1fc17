import { concat, fromHex, isZero, word } from "../../bytes.ts";
import { SEPARATOR as COMMON } from "../../constants.ts";
import { FR_ZERO, type Fr } from "../../field.ts";
import type { GrumpkinPoint } from "../../grumpkin.ts";
import type { PublicKeyMember } from "../contracts.ts";
import type { FieldHasher } from "../hashing.ts";
import { SEPARATOR } from "./separators.ts";

/**
 * Master public keys, as in an instance: hash of the nullifier key; x and y of the incoming viewing key; hashes of the
 * outgoing viewing, tagging, message signing and fallback key. These are the keys of a contract that has none of its
 * own (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export const DEFAULT_PUBLIC_KEYS: Uint8Array = concat(
  fromHex("0x14fbaeaeddaa69be81d404c684e78e9f1a786d225faf8de2ce97c92f67d89a26"),
  fromHex("0x00c044b05b6ca83b9c2dbae79cc1135155956a64e136819136e9947fe5e5866c"),
  fromHex("0x1c1f0ca244c7cd46b682552bff8ae77dea40b966a71de076ec3b7678f2bdb151"),
  fromHex("0x0e60ed663a4da5636e2e25a1f1f0c5b27c011c8eaed22bbe61e2a0fd875dd24b"),
  fromHex("0x082c6d164b0ba073c9dd911100248c8ecd80b03f82f38531856a3c16dadcbef0"),
  fromHex("0x14a5d4bde495b8c3a9ba4aed0d4870526e46fdff22d341a2f689ac5a50d10356"),
  fromHex("0x0f124f07811eebfaaa6d31316a2cc5bf255fa118f720e8ff1f2fc0d4aa46d496"),
);

/** Words of the public keys. */
export const PUBLIC_KEYS_WORDS = 7;

export const PUBLIC_KEY_MEMBERS: readonly PublicKeyMember[] = [
  { name: "npkMHash", at: 0, form: "hash" },
  { name: "ivpkM", at: 32, form: "point" },
  { name: "ovpkMHash", at: 96, form: "hash" },
  { name: "tpkMHash", at: 128, form: "hash" },
  { name: "mspkMHash", at: 160, form: "hash" },
  { name: "fbpkMHash", at: 192, form: "hash" },
];

export function viewingKey(publicKeys: Uint8Array): GrumpkinPoint {
  return { x: word(publicKeys, 1), y: word(publicKeys, 2) };
}

/** Hash of one key, from x and y. */
export function publicKeyHash(hasher: FieldHasher, point: Uint8Array): Fr {
  return hasher.hashWithSeparator(SEPARATOR.SINGLE_PUBLIC_KEY_HASH, point);
}

/**
 * Hash over the hashes of the six keys; zero when all words are
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function publicKeysHash(hasher: FieldHasher, publicKeys: Uint8Array): Fr {
  if (isZero(publicKeys)) return FR_ZERO;
  const viewing = publicKeyHash(hasher, publicKeys.subarray(32, 96));
  const hashes = concat(word(publicKeys, 0), viewing, publicKeys.subarray(3 * 32));
  return hasher.hashWithSeparator(COMMON.PUBLIC_KEYS_HASH, hashes);
}
