import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat } from "../../bytes.ts";
import type { ConsensusRules } from "../consensus.ts";

const PREFIX = new TextEncoder().encode("\x19Ethereum Signed Message:\n32");

/** EIP-191 hash of a 32-byte digest. */
export function personalMessage(digest: Uint8Array): Uint8Array {
  return keccak_256(concat(PREFIX, digest));
}

/** docs/protocol/04-l1-contracts.md#425-digests-and-signatures. */
export const PAYLOAD_DOMAINS = {
  blockProposal: 0,
  checkpointAttestation: 1,
  attestationsAndSigners: 2,
  checkpointProposal: 3,
  signedTxs: 4,
} as const;

/**
 * Payloads begin with a number for their kind and are signed as personal messages, which name no rollup
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export const CONSENSUS: ConsensusRules = {
  payloadDomains: PAYLOAD_DOMAINS,
  signedDigest: (_, payloadHash) => personalMessage(payloadHash),
  eventDigest: (payloadHash) => payloadHash,
  signedEventDigest: personalMessage,
};
