import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { hashTypedData } from "viem";
import { bigUintBytes, concat, fromHex, toHex } from "../../protocol/bytes.ts";
import type { L1Signer, TypedData } from "./signer.ts";
import { signingHash, type TxSignature, type UnsignedTx } from "./transaction.ts";

/** EIP-191 hash to sign for a message of any length. */
export function personalMessageHash(message: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  return keccak_256(concat(prefix, message));
}

export function typedDataHash(typed: TypedData): Uint8Array {
  return fromHex(hashTypedData(typed as never));
}

/** Signs with a secp256k1 key of 32 bytes. */
export class LocalSigner implements L1Signer {
  readonly address: string;
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
    this.address = toHex(keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12));
  }

  #sign(hash: Uint8Array): TxSignature {
    const bytes = secp256k1.sign(hash, this.#key, { prehash: false, format: "recovered" });
    const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, "recovered");
    return { r, s, yParity: recovery === 1 ? 1 : 0 };
  }

  #text(hash: Uint8Array): Uint8Array {
    const { r, s, yParity } = this.#sign(hash);
    return concat(bigUintBytes(r, 32), bigUintBytes(s, 32), Uint8Array.of(27 + yParity));
  }

  async signTransaction(tx: UnsignedTx): Promise<TxSignature> {
    return this.#sign(signingHash(tx));
  }

  async signMessage(message: Uint8Array): Promise<Uint8Array> {
    return this.#text(personalMessageHash(message));
  }

  async signTypedData(typed: TypedData): Promise<Uint8Array> {
    return this.#text(typedDataHash(typed));
  }
}
