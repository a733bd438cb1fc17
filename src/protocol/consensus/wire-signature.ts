import { concat, readU32 } from "../bytes.ts";
import type { ConsensusRules, SignedMessage } from "../generations/consensus.ts";
import type { MessageRollup } from "./message-rollup.ts";
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
 * Address (20 bytes) that signed a message, of whose payload this is keccak256
 * (docs/protocol/10-peers.md#1010-signatures). Undefined if the signature is invalid.
 */
export function messageSigner(
  message: SignedMessage,
  payloadHash: Uint8Array,
  signature: WireSignature,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const { consensus } = rollup.generation;
  return digestSigner(consensus.signedDigest(message, payloadHash, rollup), signature, recover, consensus);
}

/** The same of the 32 bytes that were signed. */
export function digestSigner(
  digest: Uint8Array,
  signature: WireSignature,
  recover: RecoverSigner,
  { peersTakeParity }: Pick<ConsensusRules, "peersTakeParity">,
): Uint8Array | undefined {
  const v = readU32(signature, 64);
  if (v > 255) return undefined;
  const short = shortSignature(signature);
  if (peersTakeParity && v < 2) short[64] = 27 + v;
  return recover(digest, short);
}
