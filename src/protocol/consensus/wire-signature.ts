import { concat, readU32 } from "../bytes.ts";
import { personalMessage } from "../generations/v4/consensus.ts";
import type { RecoverSigner } from "./recover.ts";

/** Signature as peers send it: r 32 | s 32 | v u32. All zero means no signature. */
export type WireSignature = Uint8Array;

export const WIRE_SIGNATURE_BYTES = 68;

/** The 65 bytes r, s, v, of a signature whose v is at most 255. */
export function shortSignature(signature: WireSignature): Uint8Array {
  return concat(signature.subarray(0, 64), signature.subarray(67, 68));
}

/** From the 65 bytes r, s, v. */
export function wireSignature(short: Uint8Array): WireSignature {
  return concat(short.subarray(0, 64), new Uint8Array(3), short.subarray(64, 65));
}

/**
 * Address (20 bytes) that signed a payload by the keccak256 of it, in the form of EIP-191
 * (docs/protocol/10-peers.md#1010-signatures). Undefined if the signature is invalid.
 */
export function recoverWireSigner(
  payloadHash: Uint8Array,
  signature: WireSignature,
  recover: RecoverSigner,
): Uint8Array | undefined {
  return recoverDigestSigner(personalMessage(payloadHash), signature, recover);
}

/** The same of the digest in the form of EIP-191. */
export function recoverDigestSigner(
  digest: Uint8Array,
  signature: WireSignature,
  recover: RecoverSigner,
): Uint8Array | undefined {
  return readU32(signature, 64) > 255 ? undefined : recover(digest, shortSignature(signature));
}
