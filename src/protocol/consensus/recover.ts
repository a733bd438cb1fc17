import { keccak_256 } from "@noble/hashes/sha3.js";
import { isZero } from "../bytes.ts";

/**
 * Address (20 bytes) whose key signed a 32-byte hash. Undefined when the signature (r, s, v: 65 bytes) is not valid: v
 * other than 27 or 28, s in the upper half, r or s out of range, no such point
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export type RecoverSigner = (hash: Uint8Array, signature: Uint8Array) => Uint8Array | undefined;

/** The uncompressed public key (65 bytes) of r and s and the parity of R; undefined if there is none. */
type RecoverKey = (hash: Uint8Array, signature: Uint8Array, parity: 0 | 1) => Uint8Array | undefined;

/** Half the order of the curve, rounded down: the largest s of a low signature (SEC 2, section 2.4.1; BIP 62). */
const MAX_LOW_S = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex");

export function signerOfKey(recoverKey: RecoverKey): RecoverSigner {
  return (hash, signature) => {
    const v = signature[64];
    if (signature.length !== 65 || (v !== 27 && v !== 28)) return undefined;
    if (Buffer.compare(signature.subarray(32, 64), MAX_LOW_S) > 0) return undefined;
    const key = recoverKey(hash, signature.subarray(0, 64), v === 27 ? 0 : 1);
    return key && keccak_256(key.subarray(1)).slice(12);
  };
}

/** An all-zero signature means no signature. */
export function isEmptySignature(signature: Uint8Array | undefined): boolean {
  return signature === undefined || isZero(signature);
}
