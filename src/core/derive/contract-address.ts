import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import type { Core } from "../core.ts";
import type { ContractInstance } from "./contract-instance.ts";
import { type GrumpkinPoint, grumpkinAdd, grumpkinMulGenerator } from "./grumpkin.ts";
import { publicKeysHash } from "./public-keys.ts";

/**
 * Hash of the initializer's call; a contract without one uses zero instead
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function initializationHash(core: Core, selector: number, argumentsHash: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.INITIALIZER, concat(fr(selector), argumentsHash));
}

/**
 * Uses the same separator as partialAddress; only the number of inputs differs
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function saltedInitializationHash(core: Core, salt: Fr, initializationHash: Fr, deployer: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PARTIAL_ADDRESS, concat(salt, initializationHash, deployer));
}

/**
 * From the ORIGINAL class id, whatever the current one is
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function partialAddress(core: Core, originalClassId: Fr, saltedInitializationHash: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.PARTIAL_ADDRESS, concat(originalClassId, saltedInitializationHash));
}

/**
 * Hash of the public keys' hash and the partial address
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function preAddress(core: Core, publicKeysHash: Fr, partialAddress: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.CONTRACT_ADDRESS_V1, concat(publicKeysHash, partialAddress));
}

/**
 * Point `preAddress * G + ivpk`; its x is the address (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 * Throws when ivpk is not on the curve.
 */
export function addressPoint(preAddress: Fr, ivpk: GrumpkinPoint): GrumpkinPoint {
  return grumpkinAdd(grumpkinMulGenerator(preAddress), ivpk);
}

/**
 * Address of a contract instance (docs/protocol/01-fields-and-hashing.md#118-contract-addresses). Throws when its
 * incoming viewing key is not on the curve.
 */
export function contractAddress(core: Core, instance: Omit<ContractInstance, "currentClassId">): Fr {
  const salted = saltedInitializationHash(core, instance.salt, instance.initializationHash, instance.deployer);
  const partial = partialAddress(core, instance.originalClassId, salted);
  const pre = preAddress(core, publicKeysHash(core, instance.publicKeys), partial);
  return addressPoint(pre, instance.publicKeys.ivpk).x;
}
