import { concat, fromHex, isZero } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";
import type { GrumpkinPoint } from "./grumpkin.ts";

/** Master public keys of an account: nullifier, incoming viewing, outgoing viewing, tagging. */
export interface PublicKeys {
  npk: GrumpkinPoint;
  ivpk: GrumpkinPoint;
  ovpk: GrumpkinPoint;
  tpk: GrumpkinPoint;
}

function point(x: string, y: string): GrumpkinPoint {
  return { x: fromHex(x), y: fromHex(y) };
}

/** Keys of a contract that has none of its own (docs/protocol/01-fields-and-hashing.md#118-contract-addresses). */
export const DEFAULT_PUBLIC_KEYS: PublicKeys = {
  npk: point(
    "0x01498945581e0eb9f8427ad6021184c700ef091d570892c437d12c7d90364bbd",
    "0x170ae506787c5c43d6ca9255d571c10fa9ffa9d141666e290c347c5c9ab7e344",
  ),
  ivpk: point(
    "0x00c044b05b6ca83b9c2dbae79cc1135155956a64e136819136e9947fe5e5866c",
    "0x1c1f0ca244c7cd46b682552bff8ae77dea40b966a71de076ec3b7678f2bdb151",
  ),
  ovpk: point(
    "0x1b00316144359e9a3ec8e49c1cdb7eeb0cedd190dfd9dc90eea5115aa779e287",
    "0x080ffc74d7a8b0bccb88ac11f45874172f3847eb8b92654aaa58a3d2b8dc7833",
  ),
  tpk: point(
    "0x019c111f36ad3fc1d9b7a7a14344314d2864b94f030594cd67f753ef774a1efb",
    "0x2039907fe37f08d10739255141bb066c506a12f7d1e8dfec21abc58494705b6f",
  ),
};

/** Coordinates of the four keys in protocol order, 8 x 32 bytes, as in an instance. */
export function publicKeysBytes({ npk, ivpk, ovpk, tpk }: PublicKeys): Uint8Array {
  return concat(npk.x, npk.y, ivpk.x, ivpk.y, ovpk.x, ovpk.y, tpk.x, tpk.y);
}

/**
 * Hash over x, y and the infinity flag of each key; zero when all four are (0, 0)
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function publicKeysHash(core: Core, keys: PublicKeys): Fr {
  if (isZero(publicKeysBytes(keys))) return FR_ZERO;
  const fields = [keys.npk, keys.ivpk, keys.ovpk, keys.tpk].flatMap(({ x, y }) => [x, y, FR_ZERO]);
  return core.hashWithSeparator(SEPARATOR.PUBLIC_KEYS_HASH, concat(...fields));
}
