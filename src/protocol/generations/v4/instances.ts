import { concat, word } from "../../bytes.ts";
import { PRIVATE_LOG_FIELDS, SEPARATOR } from "../../constants.ts";
import { DecodeError } from "../../errors.ts";
import type { Fr } from "../../field.ts";
import { isOnGrumpkin } from "../../grumpkin.ts";
import { addressPoint, partialAddress } from "../addresses.ts";
import type { InstanceParts, InstancePublished } from "../contracts.ts";
import { checkEventVersion, paddedFields } from "../event-fields.ts";
import type { FieldHasher } from "../hashing.ts";
import { publicKeysHash, viewingKey } from "./public-keys.ts";

const CONTRACT_ADDRESS_V1 = 1788365517;
/** Version of instances, in events and in JSON. */
export const INSTANCE_VERSION = 1;

/**
 * Uses the same separator as partialAddress; only the number of inputs differs
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function saltedInitializationHash(
  hasher: FieldHasher,
  parts: Omit<InstanceParts, "publicKeys" | "classId">,
): Fr {
  const { salt, initializationHash, deployer } = parts;
  return hasher.hashWithSeparator(SEPARATOR.PARTIAL_ADDRESS, concat(salt, initializationHash, deployer));
}

/**
 * Hash of the public keys' hash and the partial address
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function preAddress(hasher: FieldHasher, publicKeysHash: Fr, partialAddress: Fr): Fr {
  return hasher.hashWithSeparator(CONTRACT_ADDRESS_V1, concat(publicKeysHash, partialAddress));
}

/** docs/protocol/01-fields-and-hashing.md#118-contract-addresses. */
export function instanceAddress(hasher: FieldHasher, parts: InstanceParts): Fr {
  const ivpk = viewingKey(parts.publicKeys);
  if (!isOnGrumpkin(ivpk)) {
    throw new DecodeError("ContractInstancePublished", "incoming viewing key must be a point of the curve");
  }
  const partial = partialAddress(hasher, parts.classId, saltedInitializationHash(hasher, parts));
  return addressPoint(preAddress(hasher, publicKeysHash(hasher, parts.publicKeys), partial), ivpk).x;
}

/**
 * Words: 0 tag | 1 address | 2 version | 3 salt | 4 class id | 5 initialization hash | 6 public keys (8) | 14 deployer
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events).
 */
export function readInstancePublished(emitted: Uint8Array): InstancePublished {
  const fields = paddedFields(emitted, PRIVATE_LOG_FIELDS);
  checkEventVersion("ContractInstancePublished", word(fields, 2), INSTANCE_VERSION);
  return {
    address: word(fields, 1),
    salt: word(fields, 3),
    classId: word(fields, 4),
    initializationHash: word(fields, 5),
    publicKeys: fields.subarray(6 * 32, 14 * 32),
    deployer: word(fields, 14),
  };
}
