import { isZero, readBigUint } from "../../protocol/bytes.ts";
import { FR_MODULUS, type Fr, fr } from "../../protocol/field.ts";
import { shaPair } from "../../protocol/sha-trees.ts";

/** Sum of two field elements. */
export function addFields(a: Fr, b: Fr): Fr {
  return fr((readBigUint(a) + readBigUint(b)) % FR_MODULUS);
}

/** Out hash over two parts; a part without messages (zero) is left out. */
export function joinOutHashes(left: Fr, right: Fr): Fr {
  if (isZero(left)) return right;
  if (isZero(right)) return left;
  return shaPair(left, right);
}
