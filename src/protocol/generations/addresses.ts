import { concat } from "../bytes.ts";
import { SEPARATOR } from "../constants.ts";
import { type Fr, fr } from "../field.ts";
import { type GrumpkinPoint, grumpkinAdd, grumpkinMulGenerator } from "../grumpkin.ts";
import type { FieldHasher } from "./hashing.ts";

/** Steps of deriving an address that generations have in common. */

/**
 * Hash of the initializer's call; a contract without one uses zero instead
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function initializationHash(hasher: FieldHasher, selector: number, argumentsHash: Fr): Fr {
  return hasher.hashWithSeparator(SEPARATOR.INITIALIZER, concat(fr(selector), argumentsHash));
}

/**
 * From the ORIGINAL class id, whatever the current one is
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function partialAddress(hasher: FieldHasher, originalClassId: Fr, saltedInitializationHash: Fr): Fr {
  return hasher.hashWithSeparator(SEPARATOR.PARTIAL_ADDRESS, concat(originalClassId, saltedInitializationHash));
}

/**
 * Point `preAddress * G + ivpk`; its x is the address (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 * Throws when ivpk is not on the curve.
 */
export function addressPoint(preAddress: Fr, ivpk: GrumpkinPoint): GrumpkinPoint {
  return grumpkinAdd(grumpkinMulGenerator(preAddress), ivpk);
}
