import type { Eventually } from "./eventually.ts";

export type DutyStatus =
  | "checkpoint-mined"
  | "checkpoint-proposed"
  | "checkpoint-missed"
  | "blocks-missed"
  | "attestation-sent"
  | "attestation-missed";

/** When a duty was last done; seconds. */
export interface DutyTime {
  timestamp: bigint;
  slot: number;
  /** ISO 8601 text of the timestamp. */
  date: string;
}

export interface MissedDuties {
  currentStreak: number;
  rate?: number;
  count: number;
  total: number;
}

export interface ValidatorHistory {
  /** 20 bytes. */
  address: Uint8Array;
  lastProposal?: DutyTime;
  lastAttestation?: DutyTime;
  totalSlots: number;
  missedProposals: MissedDuties;
  missedAttestations: MissedDuties;
  history: { slot: number; status: DutyStatus }[];
}

/** The slots that statistics are about. */
export interface StatsWindow {
  lastProcessedSlot?: number;
  initialSlot?: number;
  slotWindow: number;
}

export interface ValidatorsStats extends StatsWindow {
  stats: ValidatorHistory[];
}

export interface SingleValidatorStats extends StatsWindow {
  validator: ValidatorHistory;
  allTimeProvenPerformance: { epoch: number; missed: number; total: number }[];
}

/** How validators did their duties (docs/protocol/05-rpc.md#531-validators). */
export interface ValidatorStats {
  all(): Eventually<ValidatorsStats>;
  /** Throws an ExecutionError for a range wider than the history. */
  of(
    validator: Uint8Array,
    fromSlot: number | undefined,
    toSlot: number | undefined,
  ): Eventually<SingleValidatorStats | undefined>;
}
