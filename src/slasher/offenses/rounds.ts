/** Slots of a round and of an epoch. A round is a whole number of epochs. */
interface RoundSizes {
  roundSize: number;
  epochDuration: number;
}

export function roundOfSlot(slot: number, { roundSize }: Pick<RoundSizes, "roundSize">): number {
  return Math.floor(slot / roundSize);
}

/** Position of a slot in its round, from 0. */
export function votingSlot(slot: number, { roundSize }: Pick<RoundSizes, "roundSize">): number {
  return slot % roundSize;
}

/** First slot of a round. */
export function firstSlotOfRound(round: number, { roundSize }: Pick<RoundSizes, "roundSize">): number {
  return round * roundSize;
}

/** The epochs of a round, ascending. */
export function epochsOfRound(round: number, { roundSize, epochDuration }: RoundSizes): number[] {
  const count = roundSize / epochDuration;
  return Array.from({ length: count }, (_, i) => round * count + i);
}
