import { OperatorError } from "../../errors/operator-error.ts";
import type { SequencerState } from "./states.ts";

/** In seconds, except for `blockDurationMs`. */
interface TimetableOptions {
  slotDuration: number;
  ethereumSlotDuration: number;
  /** Reserved at the end of the slot for the checkpoint to be mined on L1. */
  l1PublishingTime: number;
  /** One way between two peers. */
  propagationTime: number;
  /** Undefined: one block per slot. */
  blockDurationMs: number | undefined;
  /** False: nothing is ever late and a block has no deadline. */
  enforced: boolean;
}

/**
 * The parts of a slot. Times are seconds from its build start, one L1 slot before the slot itself
 * (docs/protocol/08-building-and-checkpoints.md#82-timetable).
 */
export interface Timetable {
  readonly enforced: boolean;
  readonly slotDuration: number;
  /** Undefined: one block per slot. */
  readonly blockDuration: number | undefined;
  readonly initializationTime: number;
  readonly minExecutionTime: number;
  readonly propagationTime: number;
  readonly l1PublishingTime: number;
  /** Assembling, collecting attestations and publishing. */
  readonly finalizationTime: number;
  /** No checkpoint is begun after this. */
  readonly initializeDeadline: number;
  readonly maxBlocks: number;
}

/** The slot is too short to build a block in. */
export class TimetableError extends OperatorError {
  override readonly errorCode: string = "timetable";

  readonly options: TimetableOptions;

  constructor(rule: string, options: TimetableOptions) {
    super(rule);
    this.name = "TimetableError";
    this.options = options;
  }
}

/** An L1 slot shorter than this many seconds means a test network, with low latency between peers. */
const SHORT_L1_SLOT = 8;

/** Chain ids of development chains, which mine immediately. */
const DEVELOPMENT_CHAIN_IDS = [31337, 677692];

/**
 * Seconds for a checkpoint to be mined on L1: as configured, else one L1 slot, or one second on a development chain.
 */
export function l1PublishingTime(
  configured: number | undefined,
  l1: { chainId: number; ethereumSlotDuration: number },
): number {
  return configured ?? (DEVELOPMENT_CHAIN_IDS.includes(l1.chainId) ? 1 : l1.ethereumSlotDuration);
}

/** Throws a TimetableError when a slot leaves no time for a block. */
export function timetable(options: TimetableOptions): Timetable {
  const { slotDuration, ethereumSlotDuration, l1PublishingTime: publishing, blockDurationMs, enforced } = options;
  const short = ethereumSlotDuration < SHORT_L1_SLOT;
  const initializationTime = short ? 0.5 : 1;
  const assembleTime = short ? 0.5 : 1;
  const propagationTime = short ? 0 : options.propagationTime;
  const blockDuration = blockDurationMs === undefined ? undefined : blockDurationMs / 1000;
  const minExecutionTime = Math.min(short ? 1 : 2, blockDuration ?? Number.POSITIVE_INFINITY);
  const finalizationTime = assembleTime + 2 * propagationTime + publishing;
  const initializeDeadline = slotDuration - (initializationTime + 2 * minExecutionTime + finalizationTime);
  if (initializeDeadline <= 0) {
    throw new TimetableError(
      `Block proposal initialize deadline cannot be negative (${initializeDeadline} s): a slot of ${slotDuration} s is ` +
        `too short for initialization (${initializationTime} s), two executions (${minExecutionTime} s) and ` +
        `finalization (${finalizationTime} s)`,
      options,
    );
  }
  const maxBlocks = blocksPerSlot({ slotDuration, initializationTime, blockDuration, finalizationTime });
  if (maxBlocks < 1) {
    throw new TimetableError(`a slot of ${slotDuration} s has no room for a block of ${blockDuration} s`, options);
  }
  return {
    enforced,
    slotDuration,
    blockDuration,
    initializationTime,
    minExecutionTime,
    propagationTime,
    l1PublishingTime: publishing,
    finalizationTime,
    initializeDeadline,
    maxBlocks,
  };
}

/**
 * One block duration, besides initialization and finalization, is reserved for validators to re-execute the last block.
 */
function blocksPerSlot(
  t: Pick<Timetable, "slotDuration" | "initializationTime" | "blockDuration" | "finalizationTime">,
) {
  if (t.blockDuration === undefined) return 1;
  const free = t.slotDuration - t.initializationTime - t.blockDuration - t.finalizationTime;
  return Math.floor(free / t.blockDuration);
}

/** Latest moment to enter a state, in seconds into the slot; undefined: any. */
export function latestEntry(t: Timetable, state: SequencerState): number | undefined {
  if (!t.enforced) return undefined;
  switch (state) {
    case "PROPOSER_CHECK":
    case "INITIALIZING_CHECKPOINT":
      return t.initializeDeadline;
    case "WAITING_FOR_TXS":
    case "CREATING_BLOCK":
    case "WAITING_UNTIL_NEXT_BLOCK":
      return t.initializeDeadline + t.initializationTime;
    case "ASSEMBLING_CHECKPOINT":
    case "COLLECTING_ATTESTATIONS":
      return t.slotDuration - t.l1PublishingTime - 2 * t.propagationTime;
    case "PUBLISHING_CHECKPOINT":
      return t.slotDuration - t.l1PublishingTime;
    default:
      return undefined;
  }
}

/** A part of the slot in which a block may be built. */
export interface BlockTime {
  /** Seconds into the slot by which the block must be built; undefined: no deadline. */
  deadline: number | undefined;
  /** Whether no block can follow it. */
  isLast: boolean;
}

/** The part of the slot for a block that is begun now; undefined when it is too late for one. */
export function nextBlockTime(t: Timetable, secondsIntoSlot: number): BlockTime | undefined {
  if (!t.enforced) return { deadline: undefined, isLast: true };
  if (t.blockDuration === undefined) {
    // Half of the remaining time is for validators, which re-execute the block.
    const available = (t.slotDuration - t.finalizationTime - secondsIntoSlot) / 2;
    return available < t.minExecutionTime ? undefined : { deadline: secondsIntoSlot + available, isLast: true };
  }
  for (let k = 1; k <= t.maxBlocks; k++) {
    const deadline = t.initializationTime + k * t.blockDuration;
    if (deadline - secondsIntoSlot >= t.minExecutionTime) return { deadline, isLast: k === t.maxBlocks };
  }
  return undefined;
}

/** Seconds into the slot after which no block is begun; the end of the slot if the timetable is not enforced. */
export function blocksEnd(t: Timetable): number {
  if (!t.enforced) return t.slotDuration;
  if (t.blockDuration === undefined) return t.slotDuration - t.finalizationTime;
  return t.initializationTime + t.maxBlocks * t.blockDuration;
}
