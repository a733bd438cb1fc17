import { concat, fromHex, isZero, word } from "../../bytes.ts";
import { SEPARATOR } from "../../constants.ts";
import { FR_ZERO, type Fr } from "../../field.ts";
import type { GrumpkinPoint } from "../../grumpkin.ts";
import type { PublicKeyMember } from "../contracts.ts";
import type { FieldHasher } from "../hashing.ts";

/**
 * Master public keys, as in an instance: x and y (32 bytes each) of the nullifier, incoming viewing, outgoing viewing
 * and tagging key. These are the keys of a contract that has none of its own
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export const DEFAULT_PUBLIC_KEYS: Uint8Array = concat(
  fromHex("0x01498945581e0eb9f8427ad6021184c700ef091d570892c437d12c7d90364bbd"),
  fromHex("0x170ae506787c5c43d6ca9255d571c10fa9ffa9d141666e290c347c5c9ab7e344"),
  fromHex("0x00c044b05b6ca83b9c2dbae79cc1135155956a64e136819136e9947fe5e5866c"),
  fromHex("0x1c1f0ca244c7cd46b682552bff8ae77dea40b966a71de076ec3b7678f2bdb151"),
  fromHex("0x1b00316144359e9a3ec8e49c1cdb7eeb0cedd190dfd9dc90eea5115aa779e287"),
  fromHex("0x080ffc74d7a8b0bccb88ac11f45874172f3847eb8b92654aaa58a3d2b8dc7833"),
  fromHex("0x019c111f36ad3fc1d9b7a7a14344314d2864b94f030594cd67f753ef774a1efb"),
  fromHex("0x2039907fe37f08d10739255141bb066c506a12f7d1e8dfec21abc58494705b6f"),
);

const KEYS = 4;

/** The points that addresses are derived from. */
export const KEY_POINTS: readonly PublicKeyMember[] = [
  { name: "masterNullifierPublicKey", at: 0, form: "point" },
  { name: "masterIncomingViewingPublicKey", at: 64, form: "point" },
  { name: "masterOutgoingViewingPublicKey", at: 128, form: "point" },
  { name: "masterTaggingPublicKey", at: 192, form: "point" },
];

/** The development API shows hashes of the keys, and the points beside them. */
export const PUBLIC_KEY_MEMBERS: readonly PublicKeyMember[] = [
  { name: "npkMHash", at: 0, form: "hash of point" },
  { name: "ivpkM", at: 64, form: "point" },
  { name: "ovpkMHash", at: 128, form: "hash of point" },
  { name: "tpkMHash", at: 192, form: "hash of point" },
  ...KEY_POINTS,
];

function key(publicKeys: Uint8Array, i: number): GrumpkinPoint {
  return { x: word(publicKeys, 2 * i), y: word(publicKeys, 2 * i + 1) };
}

export function viewingKey(publicKeys: Uint8Array): GrumpkinPoint {
  return key(publicKeys, 1);
}

/** Hash over x, y and the infinity flag. */
export function publicKeyHash(hasher: FieldHasher, point: Uint8Array): Fr {
  return hasher.hash(concat(point, FR_ZERO));
}

/**
 * Hash over x, y and the infinity flag of each key; zero when all four are (0, 0)
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function publicKeysHash(hasher: FieldHasher, publicKeys: Uint8Array): Fr {
  if (isZero(publicKeys)) return FR_ZERO;
  const fields = Array.from({ length: KEYS }, (_, i) => key(publicKeys, i)).flatMap(({ x, y }) => [x, y, FR_ZERO]);
  return hasher.hashWithSeparator(SEPARATOR.PUBLIC_KEYS_HASH, concat(...fields));
}
