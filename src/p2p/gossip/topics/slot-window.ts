import { type L1Constants, slotAt, slotTimestamp } from "../../../protocol/time.ts";
import type { GossipOutcome } from "../topic.ts";

/** A message of the slot before is not held against its sender for so long, in milliseconds. */
const CLOCK_TOLERANCE_MS = 500;

export type SlotTimes = Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">;

/**
 * Undefined if messages of `slot` are taken now: it is the slot of now, or the slot one L1 slot from now. Otherwise the
 * verdict on them (docs/protocol/10-peers.md#1011-receive-rules). `now` is in Unix milliseconds.
 */
export function outsideSlotWindow(slot: number, now: number, times: SlotTimes): GossipOutcome | undefined {
  const seconds = Math.floor(now / 1000);
  const current = slotAt(seconds, times);
  const next = slotAt(seconds + times.ethereumSlotDuration, times);
  if (slot === current || slot === next) return undefined;
  const sinceStart = now - slotTimestamp(current, times) * 1000;
  if (slot === current - 1 && sinceStart < CLOCK_TOLERANCE_MS) {
    return { result: "ignore", reason: `slot ${slot} has just ended` };
  }
  const reason = `slot ${slot} is not the current slot ${current} or the next slot ${next}`;
  return { result: "reject", tolerance: "high", reason };
}
