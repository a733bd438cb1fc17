import type { DutyName } from "../../telemetry/duty-times.ts";
import { blocksEnd, type Timetable } from "./timetable.ts";

/** Milliseconds from the start of a slot (not its build start) after which a duty is of no use to the proposer. */
export function dueTime(t: Timetable, ethereumSlotDuration: number, duty: DutyName): number {
  const seconds = {
    "execute block": attestationsDue(t),
    attest: attestationsDue(t),
    "propose block": blocksEnd(t),
    "propose checkpoint": t.slotDuration,
  }[duty];
  return Math.round((seconds - ethereumSlotDuration) * 1000);
}

/** Attestations that are sent later reach the proposer after the latest begin of publishing. */
function attestationsDue(t: Timetable): number {
  return t.slotDuration - t.l1PublishingTime - t.propagationTime;
}
