/**
 * What a committee member did in a slot (docs/protocol/12-slashing.md#121-sentinel). The position in the list plus one
 * is the byte that is stored (docs/store-format.md#sentinel).
 */
export const DUTY_STATUSES = [
  "checkpoint-mined",
  "checkpoint-proposed",
  "checkpoint-missed",
  "attestation-sent",
  "attestation-missed",
  "blocks-missed",
] as const;
export type DutyStatus = (typeof DUTY_STATUSES)[number];

export interface HistoryEntry {
  slot: number;
  status: DutyStatus;
}

/** Start of the slot in which a duty was done. */
export interface DutyTime {
  /** Unix seconds. */
  timestamp: bigint;
  slot: number;
  /** The timestamp in ISO 8601 form. */
  date: string;
}

export interface MissedDuties {
  /** Duties of this kind that were missed in a row, up to the newest. */
  currentStreak: number;
  /** Count divided by total; absent without duties. */
  rate?: number;
  count: number;
  total: number;
}

export interface ValidatorStatistics {
  /** 20 bytes. */
  address: Uint8Array;
  lastProposal?: DutyTime;
  lastAttestation?: DutyTime;
  totalSlots: number;
  missedProposals: MissedDuties;
  missedAttestations: MissedDuties;
  /** Ascending by slot. */
  history: HistoryEntry[];
}

/** Duties of a validator in a proven epoch. */
export interface EpochPerformance {
  epoch: number;
  missed: number;
  total: number;
}

/** The slots that statistics are about. */
export interface StatisticsWindow {
  lastProcessedSlot?: number;
  initialSlot?: number;
  slotWindow: number;
}

export interface AllStatistics extends StatisticsWindow {
  stats: ValidatorStatistics[];
}

export interface SingleStatistics extends StatisticsWindow {
  validator: ValidatorStatistics;
  allTimeProvenPerformance: EpochPerformance[];
}
