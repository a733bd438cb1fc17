/** Messages that proposers and attesters sign. */
export type SignedMessage =
  | "blockProposal"
  | "checkpointProposal"
  | "checkpointAttestation"
  | "attestationsAndSigners"
  | "signedTxs";

/** The rollup whose messages are signed. */
export interface SigningContext {
  readonly l1ChainId: number;
  /** 20 bytes. */
  readonly rollupAddress: Uint8Array;
}

export interface ConsensusRules {
  /** How long a block takes unless an option says otherwise; undefined: a slot has one block. */
  readonly blockDurationMs: number | undefined;
  /** Number that a message's payload begins with; undefined: payloads begin with their content. */
  readonly payloadDomains: Readonly<Record<SignedMessage, number>> | undefined;
  /** The 32 bytes that are signed for a message, from keccak256 of its payload. */
  signedDigest(message: SignedMessage, payloadHash: Uint8Array, context: SigningContext): Uint8Array;
  /** `payloadDigest` of the CheckpointProposed event, from keccak256 of an attestation's payload. */
  eventDigest(payloadHash: Uint8Array, context: SigningContext): Uint8Array;
  /** The 32 bytes that attesters signed, from `payloadDigest` of the event. */
  signedEventDigest(payloadDigest: Uint8Array): Uint8Array;
  /** What each message between peers holds of its rollup; empty: messages do not name it. */
  contextBytes(context: SigningContext): Uint8Array;
  /** Whether v of a signature, sent or posted, may be the parity of R, 0 or 1, to nodes. L1 takes 27 and 28 only. */
  readonly peersTakeParity: boolean;
}
