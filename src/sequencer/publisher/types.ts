import type { PackedAttestations } from "../../l1/propose/attestations.ts";
import type { StateOverride } from "../../l1/state-override.ts";

/** The part of a completed checkpoint that is published to L1. */
interface PublishableCheckpoint {
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
  /** Unix milliseconds, compared with L1's time and with the clock. A transaction not mined by then is given up. */
  timeoutAt: number;
  /** Attester (lower-case 0x text) whose publishers may send; any publisher when absent. */
  attester?: string;
  /** Requests sent in the same transaction; they are sent alone when the checkpoint fails its checks. */
  others?: readonly PublishRequest[];
  /** The rollup's pending chain as an invalidation among `others` leaves it. */
  pending?: StateOverride;
  signal?: AbortSignal;
}

/** Votes and invalidations that are sent without a checkpoint. */
export interface RequestsToPublish {
  slot: number;
  /** Attester (lower-case 0x text) whose publishers may send. */
  attester: string;
  requests: readonly PublishRequest[];
}

export type PublishOutcome =
  | { kind: "published"; txHash: string; l1BlockNumber: number }
  | { kind: "rejected" | "timed out" | "expired" | "no publisher"; reason: string };

/** In the order of execution within a transaction (docs/protocol/08-building-and-checkpoints.md#816-requests-to-l1). */
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
  /** The event that shows that the call took effect: its contract (lower case) and first topic. */
  proof: { address: string; topic: string };
}
