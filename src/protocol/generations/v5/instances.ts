import { concat, word } from "../../bytes.ts";
import { PRIVATE_LOG_FIELDS } from "../../constants.ts";
import { DecodeError } from "../../errors.ts";
import { FR_ZERO, type Fr } from "../../field.ts";
import { isOnGrumpkin } from "../../grumpkin.ts";
import { addressPoint, partialAddress } from "../addresses.ts";
import type { InstanceParts, InstancePublished } from "../contracts.ts";
import { checkEventVersion, paddedFields } from "../event-fields.ts";
import type { FieldHasher } from "../hashing.ts";
import { PUBLIC_KEYS_WORDS, publicKeysHash, viewingKey } from "./public-keys.ts";
import { SEPARATOR } from "./separators.ts";

/** Version of instances, in events and in JSON. */
export const INSTANCE_VERSION = 2;

/** docs/protocol/01-fields-and-hashing.md#118-contract-addresses. */
export function saltedInitializationHash(
  hasher: FieldHasher,
  parts: Omit<InstanceParts, "publicKeys" | "classId">,
): Fr {
  const { salt, initializationHash, deployer, immutablesHash = FR_ZERO } = parts;
  const fields = concat(salt, initializationHash, deployer, immutablesHash);
  return hasher.hashWithSeparator(SEPARATOR.SALTED_INITIALIZATION_HASH, fields);
}

/**
 * Hash of the public keys' hash and the partial address
 * (docs/protocol/01-fields-and-hashing.md#118-contract-addresses).
 */
export function preAddress(hasher: FieldHasher, publicKeysHash: Fr, partialAddress: Fr): Fr {
  return hasher.hashWithSeparator(SEPARATOR.CONTRACT_ADDRESS_V2, concat(publicKeysHash, partialAddress));
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

const PUBLIC_KEYS_AT = 7;

/**
 * Words: 0 tag | 1 address | 2 version | 3 salt | 4 class id | 5 initialization hash | 6 immutables hash
 * | 7 public keys (7) | 14 deployer (docs/protocol/03-blocks-and-blobs.md#320-contract-events).
 */
export function readInstancePublished(emitted: Uint8Array): InstancePublished {
  const fields = paddedFields(emitted, PRIVATE_LOG_FIELDS);
  checkEventVersion("ContractInstancePublished", word(fields, 2), INSTANCE_VERSION);
  return {
    address: word(fields, 1),
    salt: word(fields, 3),
    classId: word(fields, 4),
    initializationHash: word(fields, 5),
    immutablesHash: word(fields, 6),
    publicKeys: fields.subarray(PUBLIC_KEYS_AT * 32, (PUBLIC_KEYS_AT + PUBLIC_KEYS_WORDS) * 32),
    deployer: word(fields, 14),
  };
}
