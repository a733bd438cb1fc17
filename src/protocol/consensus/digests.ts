import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat } from "../bytes.ts";
import { PAYLOAD_DOMAINS } from "../generations/v4/consensus.ts";
import { signedBytes } from "./signed-integer.ts";

const ATTESTATION_WORD = bigUintBytes(BigInt(PAYLOAD_DOMAINS.checkpointAttestation), 32);

/**
 * The 128-byte payload of a checkpoint attestation: domain, archive, fee asset price modifier (two's complement) and
 * header hash, one word each. It contains neither chain id nor rollup address.
 */
export function attestationPayload(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return attestationPayloadOf(archiveRoot, signedBytes(modifier), headerHash);
}

/** The same of the modifier's 32 bytes. */
export function attestationPayloadOf(archive: Uint8Array, modifier: Uint8Array, headerHash: Uint8Array): Uint8Array {
  return concat(ATTESTATION_WORD, archive, modifier, headerHash);
}

/** The `payloadDigest` of the CheckpointProposed event (docs/protocol/04-l1-contracts.md#410-binding-hashes). */
export function payloadDigest(archiveRoot: Uint8Array, modifier: bigint, headerHash: Uint8Array): Uint8Array {
  return keccak_256(attestationPayload(archiveRoot, modifier, headerHash));
}
