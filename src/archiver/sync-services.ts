import type { BlobFetcher, RollupReader } from "../l1/types.ts";
import type { Store } from "../storage/store.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { WorldStateWriter } from "../world-state/types.ts";
import type { InvalidProposal, ValidateAttestations } from "./attestation-verdict.ts";
import type { ChainStore } from "./chain-store.ts";
import type { RebuildInput, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import type { BlockRecord } from "./types.ts";

export interface SyncOptions {
  /** Pause between iterations; a tenth of it until the initial sync is complete. Milliseconds. */
  pollingIntervalMs: number;
  /** L1 blocks a request covers, in rollup slots: `batchSize * slotDuration / ethereumSlotDuration` blocks. */
  batchSize: number;
  /** Checkpoints of world-state history kept behind the finalized one; below 1 keeps all. */
  checkpointHistory: number;
  /** Longest pause after failures. Milliseconds. */
  maxBackoffMs: number;
  /**
   * Checkpoints whose blobs are fetched ahead of the one that is being applied: enough that blobs are checked in full batches. At six
   * blobs each this many take 48 MiB.
   */
  prefetch: number;
  /** Checkpoints, and bytes of blob words, that are applied together at most, in as few commits as applyInParts makes of them. */
  commit: { checkpoints: number; bytes: number };
}

export const DEFAULT_SYNC_OPTIONS: SyncOptions = {
  pollingIntervalMs: 500,
  batchSize: 100,
  checkpointHistory: 64,
  maxBackoffMs: 15_000,
  prefetch: 64,
  commit: { checkpoints: 64, bytes: 2 * 1024 * 1024 },
};

/** Milliseconds of work by stage since the start. Fetches overlap each other and the other stages; `waiting` is what they cost. */
export interface SyncStageTimes {
  l1Fetch: number;
  blobFetch: number;
  waiting: number;
  /** Decoding blobs and hashing blocks. */
  rebuild: number;
  /** Computing the trees. */
  prepare: number;
  commit: number;
  checkpoints: number;
  blocks: number;
  txs: number;
}

export interface SyncProgress {
  checkpoint: number;
  /** Highest checkpoint on L1 when this iteration began. */
  targetCheckpoint: number;
  block: number;
  l1Block: number;
  initialSyncComplete: boolean;
}

/**
 * "rollback": an operator asked for it. Of proposed blocks alone: "slot-passed", their checkpoint can reach L1 no more; "replaced", L1
 * has another checkpoint or a shorter one in their place.
 */
export type UnwindReason = "l1-reorg" | "unproven" | "rollback" | "slot-passed" | "replaced";

export interface SyncEvents {
  /** After every commit of checkpoints and every iteration. */
  progress: [SyncProgress];
  /** Proposed and checkpointed ones; a block that was proposed is not told of again when its checkpoint arrives. */
  blocksAdded: [{ first: number; last: number }];
  /** The chain now ends at `tip`; removed blocks are given highest first, `checkpoints` says how many checkpoints went with them. */
  blocksRemoved: [
    { reason: UnwindReason; tip: number; removed: BlockRecord[]; checkpoints: number; epoch: number | undefined },
  ];
  proven: [{ blockNumber: number; slot: number; epoch: number }];
  finalized: [{ blockNumber: number }];
  invalidAttestations: [InvalidProposal];
  initialSyncComplete: [SyncStageTimes];
}

export type Emit = <K extends keyof SyncEvents>(event: K, ...args: SyncEvents[K]) => void;

/** What the stages of one synchronizer share. */
export interface SyncServices {
  readonly store: Store;
  readonly chain: ChainStore;
  readonly worldState: WorldStateWriter;
  readonly reader: RollupReader;
  readonly blobs: BlobFetcher;
  readonly rebuild: (input: RebuildInput) => Promise<RebuiltCheckpoint>;
  readonly validateAttestations: ValidateAttestations;
  readonly options: SyncOptions;
  readonly logger: Logger;
  readonly emit: Emit;
  /**
   * Whatever prepares blocks for the trees and then writes them runs in here, one after the other: proposed blocks come while an
   * iteration waits for L1.
   */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  readonly times: SyncStageTimes;
  /** True until the chain has been caught up with once. */
  readonly historical: () => boolean;
  /** Of the work that runs: aborted when the synchronizer pauses or stops. Another one after each pause. */
  readonly signal: AbortSignal;
}

export function noTimes(): SyncStageTimes {
  return {
    l1Fetch: 0,
    blobFetch: 0,
    waiting: 0,
    rebuild: 0,
    prepare: 0,
    commit: 0,
    checkpoints: 0,
    blocks: 0,
    txs: 0,
  };
}

/** Runs `work` and adds its duration to a stage. */
export async function timed<T>(
  times: SyncStageTimes,
  stage: "l1Fetch" | "blobFetch" | "waiting" | "rebuild" | "prepare",
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    times[stage] += performance.now() - start;
  }
}
