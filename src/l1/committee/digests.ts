import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat } from "../../protocol/bytes.ts";

/**
 * Domain separators of digests: the first word of the hashed data
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
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
 * The 128-byte payload of a checkpoint attestation: domain, archive, fee asset price modifier (two's complement) and
 * header hash, one word each. It contains neither chain id nor rollup address.
 */
export function attestationPayload(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return concat(word(BigInt(DIGEST_DOMAIN.checkpointAttestation)), archiveRoot, word(modifier), headerHash);
}

/** The `payloadDigest` of the CheckpointProposed event (docs/protocol/04-l1-contracts.md#410-binding-hashes). */
export function payloadDigest(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return keccak_256(attestationPayload(archiveRoot, modifier, headerHash));
}

/** EIP-191 hash of a 32-byte digest, which attesters sign. */
export function ethSignedMessageDigest(digest: Uint8Array): Uint8Array {
  return keccak_256(concat(PREFIX, digest));
}
