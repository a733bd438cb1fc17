import { type L1Constants, slotAt, slotTimestamp } from "../../protocol/time.ts";

export type SlotConstants = Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">;

/**
 * Slot of the next L1 block at a local time in Unix milliseconds, rounded down to seconds
 * (docs/protocol/08-building-and-checkpoints.md#81-build-start).
 */
export function slotOfNextL1Block(nowMs: number, c: SlotConstants): number {
  return slotAt(Math.floor(nowMs / 1000) + c.ethereumSlotDuration, c);
}

/** Unix milliseconds at which work for a slot begins: one L1 slot before its start. */
export function buildStartMs(slot: number, c: SlotConstants): number {
  return (slotTimestamp(slot, c) - c.ethereumSlotDuration) * 1000;
}

/** Seconds since the build start of a slot, to the millisecond; negative before it. */
export function secondsIntoSlot(nowMs: number, slot: number, c: SlotConstants): number {
  return (nowMs - buildStartMs(slot, c)) / 1000;
}
