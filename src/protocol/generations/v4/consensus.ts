import { personalMessage } from "../../personal-message.ts";
import type { ConsensusRules } from "../consensus.ts";

/**
 * Payloads begin with a number for their kind and are signed as personal messages, which name no rollup
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export const CONSENSUS: ConsensusRules = {
  blockDurationMs: undefined,
  payloadDomains: {
    blockProposal: 0,
    checkpointAttestation: 1,
    attestationsAndSigners: 2,
    checkpointProposal: 3,
    signedTxs: 4,
  },
  signedDigest: (_, payloadHash) => personalMessage(payloadHash),
  eventDigest: (payloadHash) => payloadHash,
  signedEventDigest: personalMessage,
  contextBytes: () => new Uint8Array(),
  peersTakeParity: false,
};
