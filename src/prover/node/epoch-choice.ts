import type { ChainStore } from "../../archiver/chain-store.ts";
import { syncedSlot } from "../../archiver/synced-slot.ts";
import type { CheckpointRecord } from "../../archiver/tables/records.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { epochOfSlot, epochSlots, type L1Constants, slotTimestamp } from "../../protocol/time.ts";

export type EpochChain = Pick<
  ChainStore,
  "checkpoint" | "checkpointsOfEpoch" | "latestCheckpointNumber" | "provenCheckpointNumber" | "state"
>;

interface EpochState {
  readonly epoch: number;
  /** Those that are on L1, in order. */
  readonly checkpoints: readonly CheckpointRecord[];
  /** Whether it gets no more checkpoints. */
  readonly complete: boolean;
}

/**
 * Epochs that jobs are made for at one time. Brokers forget jobs of epochs that are more than one behind the newest
 * (docs/protocol/13-proving.md#133-broker).
 */
const EPOCHS_AHEAD = 2;

/** What the node has of an epoch. */
export function epochState(chain: EpochChain, epoch: number, constants: L1Constants): EpochState {
  const synced = syncedSlot(chain, chain.state.processed(), constants);
  const complete = synced !== undefined && synced >= epochSlots(epoch, constants).last;
  return { epoch, checkpoints: chain.checkpointsOfEpoch(epoch), complete };
}

/**
 * Epochs to work on, the one that L1 wants proven next first: that of the first unproven checkpoint and the one after
 * it, as far as they have checkpoints.
 */
export function epochsToProve(chain: EpochChain, constants: L1Constants): number[] {
  const latest = chain.latestCheckpointNumber();
  const epochs: number[] = [];
  for (let number = chain.provenCheckpointNumber() + 1; number <= latest && epochs.length < EPOCHS_AHEAD; ) {
    const checkpoint = chain.checkpoint(number);
    if (checkpoint === undefined) break;
    const epoch = epochOfSlot(checkpointSlot(checkpoint.header), constants);
    if (epochs.length > 0 && epoch > epochs[0] + EPOCHS_AHEAD - 1) break;
    epochs.push(epoch);
    number = (chain.checkpointsOfEpoch(epoch).at(-1)?.number ?? number) + 1;
  }
  return epochs;
}

/**
 * Unix milliseconds: from then on L1 takes no proof of the epoch (docs/protocol/04-l1-contracts.md#418-epoch-proofs).
 */
export function proofDeadline(epoch: number, constants: L1Constants): number {
  const last = epochSlots(epoch + constants.proofSubmissionEpochs, constants).last;
  return slotTimestamp(last + 1, constants) * 1000;
}
