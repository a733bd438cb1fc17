import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat } from "../../protocol/bytes.ts";

/** What a digest is about; the first word of what is hashed (sheet 04 section 9.3). */
export const DIGEST_DOMAIN = {
  blockProposal: 0,
  checkpointAttestation: 1,
  attestationsAndSigners: 2,
  checkpointProposal: 3,
  signedTxs: 4,
} as const;

const PREFIX = new TextEncoder().encode("\x19Ethereum Signed Message:\n32");

function word(value: bigint): Uint8Array {
  return bigUintBytes(BigInt.asUintN(256, value), 32);
}

/**
 * The 128 bytes that a checkpoint attestation is about: domain, archive, fee asset price modifier (two's complement) and header
 * hash, a word each. Neither chain nor rollup is in it.
 */
export function attestationPayload(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return concat(word(BigInt(DIGEST_DOMAIN.checkpointAttestation)), archiveRoot, word(modifier), headerHash);
}

/** The `payloadDigest` of the CheckpointProposed event (sheet 04 section 3.4). */
export function payloadDigest(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return keccak_256(attestationPayload(archiveRoot, modifier, headerHash));
}

/** EIP-191 hash of a 32-byte digest: what attesters sign. */
export function ethSignedMessageDigest(digest: Uint8Array): Uint8Array {
  return keccak_256(concat(PREFIX, digest));
}
