import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { LocalSigner, personalMessageHash } from "../../../src/l1/tx/local-signer.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import type { Duty } from "../../../src/validator/signing/duty.ts";
import type { SigningRequest } from "../../../src/validator/signing/signing-guard.ts";

export const ROLLUP = `0x${"ab".repeat(20)}`;
/** Slot 0 begins at the epoch, so slot n begins at 1000 * n * 72 ms. */
export const TIMES = { l1GenesisTime: 0, slotDuration: 72, ethereumSlotDuration: 12 };

/** Some seconds into a slot, in ms. */
export const within = (slot: number, seconds = 20): number => (slot * TIMES.slotDuration + seconds) * 1000;

/** The n-th test key. */
export function signer(n = 1): LocalSigner {
  return new LocalSigner(keccak_256(Uint8Array.of(n)));
}

export const attestation = (slot: number): Duty => ({ kind: "ATTESTATION", slot, blockNumber: slot });

/** A request for the digest of `text`. */
export function request(duty: Duty, text: string, by = signer()): SigningRequest {
  return { signer: by, duty, message: { kind: "digest", digest: keccak_256(new TextEncoder().encode(text)) } };
}

/** Address that signed the digest of `text` as a personal message. */
export function signedBy(signature: Uint8Array, text: string): string {
  const hash = personalMessageHash(keccak_256(new TextEncoder().encode(text)));
  const recovered = concat(Uint8Array.of(signature[64] - 27), signature.subarray(0, 64));
  const key = secp256k1.recoverPublicKey(recovered, hash, { prehash: false });
  return toHex(keccak_256(secp256k1.Point.fromBytes(key).toBytes(false).subarray(1)).subarray(12));
}
