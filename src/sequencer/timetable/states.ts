/**
 * States of a sequencer, in the order in which a slot passes through them
 * (docs/protocol/08-building-and-checkpoints.md#83-states).
 */
const SEQUENCER_STATES = [
  "STOPPED",
  "STOPPING",
  "IDLE",
  "SYNCHRONIZING",
  "PROPOSER_CHECK",
  "INITIALIZING_CHECKPOINT",
  "WAITING_FOR_TXS",
  "CREATING_BLOCK",
  "WAITING_UNTIL_NEXT_BLOCK",
  "ASSEMBLING_CHECKPOINT",
  "COLLECTING_ATTESTATIONS",
  "PUBLISHING_CHECKPOINT",
] as const;

export type SequencerState = (typeof SEQUENCER_STATES)[number];
