import { concat, word } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import type { Fr } from "../../../src/protocol/field.ts";

/** What an address commits to, and the contract's current class. */
interface ContractInstance {
  salt: Fr;
  deployer: Fr;
  currentClassId: Fr;
  originalClassId: Fr;
  initializationHash: Fr;
  publicKeys: Uint8Array;
}

const VERSION = 1;
const CONTRACT_INSTANCE_BYTES = 417;
const KEYS_AT = 5 * 32;

/**
 * docs/protocol/01-fields-and-hashing.md#119-contract-instance-bytes:
 *
 *   0 version (1) | 1 salt | 33 deployer | 65 current class | 97 original class | 129 initialization hash
 *   161 npk 64 | 225 ivpk 64 | 289 ovpk 64 | 353 tpk 64
 */
export function contractInstanceBytes(instance: ContractInstance): Uint8Array {
  return concat(
    Uint8Array.of(VERSION),
    instance.salt,
    instance.deployer,
    instance.currentClassId,
    instance.originalClassId,
    instance.initializationHash,
    instance.publicKeys,
  );
}

/** Inverse of contractInstanceBytes; the parts are views. Throws a DecodeError for any other length or version. */
export function contractInstanceFromBytes(bytes: Uint8Array): ContractInstance {
  if (bytes.length !== CONTRACT_INSTANCE_BYTES) {
    throw new DecodeError("contract instance", `must be ${CONTRACT_INSTANCE_BYTES} bytes, got ${bytes.length}`);
  }
  if (bytes[0] !== VERSION) throw new DecodeError("contract instance", `version must be ${VERSION}, got ${bytes[0]}`);
  const words = bytes.subarray(1);
  return {
    salt: word(words, 0),
    deployer: word(words, 1),
    currentClassId: word(words, 2),
    originalClassId: word(words, 3),
    initializationHash: word(words, 4),
    publicKeys: words.subarray(KEYS_AT),
  };
}
