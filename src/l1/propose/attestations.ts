import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat, isZero } from "../../protocol/bytes.ts";
import { attestationsAndSignersPayload } from "../../protocol/consensus/digests.ts";
import type { ConsensusRules } from "../../protocol/generations/consensus.ts";
import type { CommitteeAttestation } from "../types.ts";

/**
 * A committee's attestations in the format of `propose` (docs/protocol/04-l1-contracts.md#49-calldata-of-propose). All
 * empty on a network without a committee.
 */
export interface PackedAttestations {
  signatureIndices: Uint8Array;
  signaturesOrAddresses: Uint8Array;
  /** 20-byte addresses of the members that signed, in committee order. */
  signers: readonly Uint8Array[];
  /**
   * The proposer's signature (65 bytes r, s, v) of `attestationsAndSignersHash` as a personal message. If absent, the
   * publishing account signs, which a rollup without a committee accepts.
   */
  signature?: Uint8Array;
}

export const NO_ATTESTATIONS: PackedAttestations = {
  signatureIndices: new Uint8Array(),
  signaturesOrAddresses: new Uint8Array(),
  signers: [],
};

/** Packs entries in committee order, each with its address; a member without a signature is posted as its address. */
export function packAttestations(entries: readonly CommitteeAttestation[]): PackedAttestations {
  const signatureIndices = new Uint8Array(Math.ceil(entries.length / 8));
  const parts: Uint8Array[] = [];
  const signers: Uint8Array[] = [];
  entries.forEach(({ address, signature }, i) => {
    if (signature === undefined || isZero(signature)) {
      parts.push(address);
      return;
    }
    signatureIndices[i >> 3] |= 0x80 >> (i & 7);
    parts.push(signature.subarray(64), signature.subarray(0, 64));
    signers.push(address);
  });
  return { signatureIndices, signaturesOrAddresses: concat(...parts), signers };
}

/**
 * keccak256 of the attestations and signers, which the proposer signs
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export function attestationsAndSignersHash(
  consensus: Pick<ConsensusRules, "payloadDomains">,
  packed: PackedAttestations,
): Uint8Array {
  return keccak_256(attestationsAndSignersPayload(consensus, packed));
}
