/** Slot and epoch arithmetic, in seconds (docs/protocol/04-l1-contracts.md#46-time). */
export interface L1Constants {
  /** L1 block in which the rollup was deployed. */
  l1StartBlock: number;
  /** Timestamp of that block. */
  l1GenesisTime: number;
  slotDuration: number;
  epochDuration: number;
  ethereumSlotDuration: number;
  proofSubmissionEpochs: number;
  targetCommitteeSize: number;
  rollupManaLimit: number;
}

export function slotTimestamp(slot: number, c: Pick<L1Constants, "l1GenesisTime" | "slotDuration">): number {
  return c.l1GenesisTime + slot * c.slotDuration;
}

export function slotAt(timestamp: number, c: Pick<L1Constants, "l1GenesisTime" | "slotDuration">): number {
  return timestamp < c.l1GenesisTime ? 0 : Math.floor((timestamp - c.l1GenesisTime) / c.slotDuration);
}

export function epochOfSlot(slot: number, c: Pick<L1Constants, "epochDuration">): number {
  return Math.floor(slot / c.epochDuration);
}

/** First and last slot of an epoch. */
export function epochSlots(epoch: number, c: Pick<L1Constants, "epochDuration">): { first: number; last: number } {
  return { first: epoch * c.epochDuration, last: (epoch + 1) * c.epochDuration - 1 };
}
