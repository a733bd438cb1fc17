import { concat, word } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { Fr } from "../../protocol/field.ts";
import type { GrumpkinPoint } from "./grumpkin.ts";
import { type PublicKeys, publicKeysBytes } from "./public-keys.ts";

/** What an address commits to, and the contract's current class. Deployer zero: anyone could deploy it. */
export interface ContractInstance {
  salt: Fr;
  deployer: Fr;
  currentClassId: Fr;
  originalClassId: Fr;
  initializationHash: Fr;
  publicKeys: PublicKeys;
}

const VERSION = 1;
export const CONTRACT_INSTANCE_BYTES = 417;

/**
 * docs/protocol/01-fields-and-hashing.md#118-contract-addresses:
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
    publicKeysBytes(instance.publicKeys),
  );
}

/** Inverse of contractInstanceBytes; the parts are views. Throws a DecodeError for any other length or version. */
export function contractInstanceFromBytes(bytes: Uint8Array): ContractInstance {
  if (bytes.length !== CONTRACT_INSTANCE_BYTES) {
    throw new DecodeError("contract instance", `must be ${CONTRACT_INSTANCE_BYTES} bytes, got ${bytes.length}`);
  }
  if (bytes[0] !== VERSION) throw new DecodeError("contract instance", `version must be ${VERSION}, got ${bytes[0]}`);
  const words = bytes.subarray(1);
  const key = (at: number): GrumpkinPoint => ({ x: word(words, at), y: word(words, at + 1) });
  return {
    salt: word(words, 0),
    deployer: word(words, 1),
    currentClassId: word(words, 2),
    originalClassId: word(words, 3),
    initializationHash: word(words, 4),
    publicKeys: { npk: key(5), ivpk: key(7), ovpk: key(9), tpk: key(11) },
  };
}
