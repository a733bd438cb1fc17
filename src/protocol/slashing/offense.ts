import type { L1Constants } from "../time.ts";

/** A breach of the rules by a validator, for which it can be slashed. */
export interface Offense {
  /** 20 bytes. */
  validator: Uint8Array;
  /** In the staking asset's smallest unit. */
  amount: bigint;
  offenseType: OffenseType;
  /** An epoch for offenses of an epoch, a slot for the others (`isSlotOffense`). */
  epochOrSlot: bigint;
}

/** Takes offenses from whoever detects them. Offenses that are known already are ignored. Never throws. */
export type ReportOffenses = (offenses: readonly Offense[]) => void;

/** The network's numbers of the offenses. */
export const OFFENSE_TYPES = {
  unknown: 0,
  dataWithholding: 1,
  validEpochPruned: 2,
  inactivity: 3,
  broadcastedInvalidBlockProposal: 4,
  proposedInsufficientAttestations: 5,
  proposedIncorrectAttestations: 6,
  attestedDescendantOfInvalid: 7,
  duplicateProposal: 8,
  duplicateAttestation: 9,
} as const;
export type OffenseType = (typeof OFFENSE_TYPES)[keyof typeof OFFENSE_TYPES];

const EPOCH_TYPES: readonly OffenseType[] = [
  OFFENSE_TYPES.unknown,
  OFFENSE_TYPES.dataWithholding,
  OFFENSE_TYPES.validEpochPruned,
  OFFENSE_TYPES.inactivity,
];

/** Whether offenses of this type happen in a slot; the others in an epoch. */
export function isSlotOffense(type: OffenseType): boolean {
  return !EPOCH_TYPES.includes(type);
}

type Timed = Pick<Offense, "offenseType" | "epochOrSlot">;
type EpochTimes = Pick<L1Constants, "epochDuration">;

export function epochOfOffense({ offenseType, epochOrSlot }: Timed, { epochDuration }: EpochTimes): bigint {
  return isSlotOffense(offenseType) ? epochOrSlot / BigInt(epochDuration) : epochOrSlot;
}

/** The offense's slot; of an offense of an epoch, the epoch's first slot. */
export function slotOfOffense({ offenseType, epochOrSlot }: Timed, { epochDuration }: EpochTimes): bigint {
  return isSlotOffense(offenseType) ? epochOrSlot : epochOrSlot * BigInt(epochDuration);
}
