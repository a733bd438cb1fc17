import { inspect } from "node:util";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex } from "../protocol/bytes.ts";

const HIDDEN = "[Redacted]";

/** A secret text that is redacted when printed or serialized. */
export class SecretText {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}

/** A secp256k1 private key of an L1 account; it is redacted when printed or serialized. */
export class PrivateKey {
  readonly #bytes: Uint8Array;
  /** 0x text of the account's 20 bytes, lower case. */
  readonly address: string;

  /** Throws a RangeError unless 32 bytes from 1 to the order of the curve, exclusive. */
  constructor(bytes: Uint8Array) {
    if (!secp256k1.utils.isValidSecretKey(bytes)) throw new RangeError("not a valid secp256k1 private key");
    this.#bytes = Uint8Array.from(bytes);
    const point = secp256k1.getPublicKey(bytes, false).subarray(1);
    this.address = toHex(keccak_256(point).subarray(12));
  }

  /** The internal 32 bytes, not a copy; the caller must not change them. */
  reveal(): Uint8Array {
    return this.#bytes;
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return `PrivateKey(${this.address})`;
  }
}
