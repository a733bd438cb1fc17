import type { PartValues } from "../../config/part-values.ts";
import { slotTimestamp } from "../../protocol/time.ts";
import { dueTime } from "../../sequencer/timetable/due-times.ts";
import { l1PublishingTime, timetable } from "../../sequencer/timetable/timetable.ts";
import { observeDuties } from "../../telemetry/duty-metrics.ts";
import { DutyTimes } from "../../telemetry/duty-times.ts";
import type { ChainContext } from "../context/chain-context.ts";

/**
 * Measures the duties of a node. When they are due is known to a node with a sequencer only (`timed`), from its own
 * timetable. Throws a TimetableError.
 */
export function nodeDutyTimes(
  {
    reader,
    clock,
    metrics,
    slotEnded,
    loggerFor,
  }: Pick<ChainContext, "reader" | "clock" | "metrics" | "slotEnded" | "loggerFor">,
  values: PartValues["sequencer"],
  timed: boolean,
): DutyTimes {
  const { l1ChainId: chainId, constants } = reader.identity;
  const { slotDuration, ethereumSlotDuration } = constants;
  const table = timed
    ? timetable({
        slotDuration,
        ethereumSlotDuration,
        l1PublishingTime: l1PublishingTime(values.l1PublishingTime, { chainId, ethereumSlotDuration }),
        propagationTime: values.attestationPropagationTime,
        blockDurationMs: values.blockDurationMs,
        enforced: true,
      })
    : undefined;
  const startOf = (slot: number): number => slotTimestamp(slot, constants) * 1000;
  const duties = new DutyTimes({
    startOf,
    ended: slotEnded && ((ended) => slotEnded({ ...ended, start: startOf(ended.slot) })),
    due: (duty) => table && dueTime(table, ethereumSlotDuration, duty),
    now: clock.now,
    logger: loggerFor("duties"),
  });
  observeDuties(metrics, duties);
  return duties;
}
