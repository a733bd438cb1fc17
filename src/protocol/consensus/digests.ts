import { bigUintBytes, concat } from "../bytes.ts";
import type { ConsensusRules } from "../generations/consensus.ts";

type PayloadRules = Pick<ConsensusRules, "payloadDomains">;

const word = (value: number): Uint8Array => bigUintBytes(BigInt(value), 32);

/**
 * What attesters sign (docs/protocol/10-peers.md#1010-signatures), one word each: a number for its kind in some
 * generations, archive, fee asset price modifier (two's complement), header hash.
 */
export function attestationPayload(
  { payloadDomains }: PayloadRules,
  archive: Uint8Array,
  modifier: Uint8Array,
  headerHash: Uint8Array,
): Uint8Array {
  const domain = payloadDomains === undefined ? [] : [word(payloadDomains.checkpointAttestation)];
  return concat(...domain, archive, modifier, headerHash);
}

/** A committee's attestations as L1 takes them. */
interface PostedAttestations {
  signatureIndices: Uint8Array;
  signaturesOrAddresses: Uint8Array;
  /** 20-byte addresses. */
  signers: readonly Uint8Array[];
}

/**
 * What a proposer signs of the attestations that it posts
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures): the ABI encoding of a number for its kind in some
 * generations, `(bytes signatureIndices, bytes signaturesOrAddresses)` and `address[] signers`.
 */
export function attestationsAndSignersPayload(
  { payloadDomains }: PayloadRules,
  { signatureIndices, signaturesOrAddresses, signers }: PostedAttestations,
): Uint8Array {
  const domain = payloadDomains === undefined ? [] : [word(payloadDomains.attestationsAndSigners)];
  const indices = byteString(signatureIndices);
  const attestations = concat(word(64), word(64 + indices.length), indices, byteString(signaturesOrAddresses));
  const head = (domain.length + 2) * 32;
  return concat(
    ...domain,
    word(head),
    word(head + attestations.length),
    attestations,
    word(signers.length),
    ...signers.map((signer) => concat(new Uint8Array(12), signer)),
  );
}

/** Length and bytes, padded to whole words. */
function byteString(bytes: Uint8Array): Uint8Array {
  return concat(word(bytes.length), bytes, new Uint8Array(-bytes.length & 31));
}
