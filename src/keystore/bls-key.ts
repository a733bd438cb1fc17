import { createHmac } from "node:crypto";
import { inspect } from "node:util";
import { bn254 } from "@noble/curves/bn254.js";
import { mnemonicToSeed } from "@scure/bip39";
import { bigUintBytes, readBigUint, toHex } from "../protocol/bytes.ts";

const HIDDEN = "[Redacted]";
const { ORDER } = bn254.fields.Fr;
const DERIVATION_DOMAIN = "Aztec bn254 key";

/** Derivation path of the first validator's key (EIP-2334 form). */
export const DEFAULT_BLS_PATH = "m/12381/3600/0/0/0";

/** Path of a validator's key: `accountIndex` and `addressIndex` are those of its L1 key. */
export function blsPath(accountIndex: number, addressIndex: number): string {
  return `m/12381/3600/${accountIndex}/0/${addressIndex}`;
}

/**
 * A BLS secret key on BN254, which registers a validator (docs/protocol/04-l1-contracts.md#434-initial-validators). It
 * is redacted when printed or serialized.
 */
export class BlsKey {
  readonly #secret: bigint;

  /** Throws a RangeError unless 32 bytes from 1 to the group order, exclusive. */
  constructor(bytes: Uint8Array) {
    const secret = bytes.length === 32 ? readBigUint(bytes) : 0n;
    if (secret === 0n || secret >= ORDER) throw new RangeError("not a valid BN254 secret key");
    this.#secret = secret;
  }

  /** 0x text of the compressed public key in G1: 32 bytes of x, big-endian, with the highest bit set if y is odd. */
  get publicKey(): string {
    const { x, y } = bn254.G1.Point.BASE.multiply(this.#secret).toAffine();
    const bytes = bigUintBytes(x, 32);
    if (y % 2n === 1n) bytes[0] |= 0x80;
    return toHex(bytes);
  }

  reveal(): bigint {
    return this.#secret;
  }

  /** 0x text of 32 bytes. */
  revealText(): string {
    return toHex(bigUintBytes(this.#secret, 32));
  }

  toJSON(): string {
    return HIDDEN;
  }

  toString(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return `BlsKey(${HIDDEN})`;
  }
}

/** Key of a BIP-39 mnemonic at a path. */
export async function blsKeyOfMnemonic(mnemonic: string, passphrase: string, path: string): Promise<BlsKey> {
  return derived(0, await mnemonicToSeed(mnemonic, passphrase), path);
}

/** Key of other keying material at a path. */
export function blsKeyOfMaterial(material: Uint8Array, path: string): BlsKey {
  return derived(1, material, path);
}

/** HMAC-SHA512 over kind, secret and path, modulo the group order; with a counter appended while the result is 0. */
function derived(kind: number, secret: Uint8Array, path: string): BlsKey {
  const message = Buffer.concat([Uint8Array.of(kind), secret, Buffer.from(path, "utf8")]);
  for (let counter = 0; ; counter++) {
    const hmac = createHmac("sha512", DERIVATION_DOMAIN).update(message);
    if (counter > 0) hmac.update(Uint8Array.of(counter));
    const scalar = readBigUint(hmac.digest()) % ORDER;
    if (scalar !== 0n) return new BlsKey(bigUintBytes(scalar, 32));
  }
}
