import type {
  DutyTime,
  EpochPerformance,
  HistoryEntry,
  MissedDuties,
  ValidatorStatistics,
} from "../../protocol/slashing/validator-statistics.ts";
import { type L1Constants, slotTimestamp } from "../../protocol/time.ts";
import { isAttestationDuty, isMissed } from "./duty-status.ts";

type SlotTimes = Pick<L1Constants, "l1GenesisTime" | "slotDuration">;

/** Statistics over the given entries, which ascend by slot (docs/protocol/12-slashing.md#121-sentinel). */
export function validatorStatistics(
  address: Uint8Array,
  history: HistoryEntry[],
  times: SlotTimes,
): ValidatorStatistics {
  const attestations = history.filter(({ status }) => isAttestationDuty(status));
  const proposals = history.filter(({ status }) => !isAttestationDuty(status));
  return {
    address,
    ...lastDone("lastProposal", proposals, times),
    ...lastDone("lastAttestation", attestations, times),
    totalSlots: history.length,
    missedProposals: missedOf(proposals),
    missedAttestations: missedOf(attestations),
    history,
  };
}

/** Duties of an epoch, from the entries of its slots. */
export function epochPerformance(history: readonly HistoryEntry[]): Omit<EpochPerformance, "epoch"> {
  return { missed: history.filter(({ status }) => isMissed(status)).length, total: history.length };
}

function lastDone<K extends string>(name: K, duties: HistoryEntry[], times: SlotTimes): { [N in K]?: DutyTime } {
  const last = duties.findLast(({ status }) => !isMissed(status));
  if (last === undefined) return {};
  const seconds = slotTimestamp(last.slot, times);
  const time: DutyTime = {
    timestamp: BigInt(seconds),
    slot: last.slot,
    date: new Date(seconds * 1000).toISOString(),
  };
  return { [name]: time } as { [N in K]: DutyTime };
}

function missedOf(duties: readonly HistoryEntry[]): MissedDuties {
  const total = duties.length;
  const count = duties.filter(({ status }) => isMissed(status)).length;
  const lastDoneAt = duties.findLastIndex(({ status }) => !isMissed(status));
  return { currentStreak: total - 1 - lastDoneAt, ...(total > 0 && { rate: count / total }), count, total };
}
