import { keccak_256 } from "@noble/hashes/sha3.js";
import { bigUintBytes, concat, fromHex, u32Bytes } from "../../bytes.ts";
import type { ConsensusRules, SignedMessage, SigningContext } from "../consensus.ts";

const textHash = (value: string): Uint8Array => keccak_256(new TextEncoder().encode(value));

const DOMAIN_TYPE = textHash("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
const NAME = textHash("Aztec Rollup");
const VERSION = textHash("1");
const PREFIX = fromHex("0x1901");

/** Each message is a struct with the hash of its payload as only member. */
const TYPES: Readonly<Record<SignedMessage, Uint8Array>> = {
  blockProposal: textHash("BlockProposal(bytes32 payloadHash)"),
  checkpointProposal: textHash("CheckpointProposal(bytes32 payloadHash)"),
  checkpointAttestation: textHash("CheckpointAttestation(bytes32 payloadHash)"),
  attestationsAndSigners: textHash("AttestationsAndSigners(bytes32 payloadHash)"),
  signedTxs: textHash("SignedTxs(bytes32 payloadHash)"),
};

/** Hash of the rollup's EIP-712 domain. */
export function domainSeparator({ l1ChainId, rollupAddress }: SigningContext): Uint8Array {
  const contract = concat(new Uint8Array(12), rollupAddress);
  return keccak_256(concat(DOMAIN_TYPE, NAME, VERSION, bigUintBytes(BigInt(l1ChainId), 32), contract));
}

function signedDigest(message: SignedMessage, payloadHash: Uint8Array, context: SigningContext): Uint8Array {
  const struct = keccak_256(concat(TYPES[message], payloadHash));
  return keccak_256(concat(PREFIX, domainSeparator(context), struct));
}

/**
 * Messages are signed as typed data of the rollup (EIP-712) and name it by that; L1's event holds the digest that was
 * signed (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export const CONSENSUS: ConsensusRules = {
  blockDurationMs: 3000,
  payloadDomains: undefined,
  signedDigest,
  eventDigest: (payloadHash, context) => signedDigest("checkpointAttestation", payloadHash, context),
  signedEventDigest: (payloadDigest) => payloadDigest,
  contextBytes: ({ l1ChainId, rollupAddress }) => concat(u32Bytes(l1ChainId), rollupAddress),
  peersTakeParity: true,
};
