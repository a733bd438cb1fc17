import type { PackedAttestations } from "../../l1/propose/attestations.ts";

/** What a checkpoint is published from: the part of a completed checkpoint that L1 gets. */
export interface PublishableCheckpoint {
  checkpointNumber: number;
  /** 316 bytes. */
  header: Uint8Array;
  archiveRoot: Uint8Array;
  /** 131,072 bytes each. */
  blobs: readonly Uint8Array[];
}

export interface CheckpointToPublish {
  checkpoint: PublishableCheckpoint;
  attestations: PackedAttestations;
  slot: number;
  /** Basis points, -100 to 100. */
  feeAssetPriceModifier: number;
  /** Unix milliseconds, held against L1's time and against the clock: what is not mined by then is given up. */
  timeoutAt: number;
  /** Attester (lower-case 0x text) whose publishers may send; any publisher when absent. */
  attester?: string;
  /** Votes and the like that travel in the same transaction; they are sent also when the checkpoint does not pass its checks. */
  others?: readonly PublishRequest[];
  signal?: AbortSignal;
}

/** Votes that travel without a checkpoint. */
export interface VotesToPublish {
  slot: number;
  /** Attester (lower-case 0x text) whose publishers may send. */
  attester: string;
  requests: readonly PublishRequest[];
}

export type PublishOutcome =
  | { kind: "published"; txHash: string; l1BlockNumber: number }
  | { kind: "rejected" | "timed out" | "expired" | "no publisher"; reason: string };

/** In the order in which a transaction performs them (sheet 08 section 4.1). */
export const ACTIONS = [
  "invalidate-by-invalid-attestation",
  "invalidate-by-insufficient-attestations",
  "propose",
  "governance-signal",
  "empire-slashing-signal",
  "create-empire-payload",
  "execute-empire-payload",
  "vote-offenses",
  "execute-slash",
] as const;

export type Action = (typeof ACTIONS)[number];

/** One call of a transaction. */
export interface PublishRequest {
  action: Action;
  /** 0x text. */
  to: string;
  data: Uint8Array;
  gasLimit: bigint;
  /** Dropped once this slot is over. */
  lastValidSlot: number;
  /** Unix milliseconds. */
  timeoutAt?: number;
  /** Whether the call took effect: address (lower-case) and first topic of a log that only then is there. */
  proof: { address: string; topic: string };
}
