import type { Interruption } from "../events/interruption.ts";
import type { BlobFetcher, RollupReader } from "../l1/types.ts";
import type { Store } from "../storage/store.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { WorldStateWriter } from "../world-state/types.ts";
import type { ValidateAttestations } from "./attestation-verdict.ts";
import type { ChainStore } from "./chain-store.ts";
import type { RebuildInput, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import type { InvalidProposal } from "./tables/invalid-proposal.ts";
import type { RemovedBlock } from "./types.ts";

export interface SyncOptions {
  /** Pause between iterations; a tenth of it during the initial sync. Milliseconds. */
  pollingIntervalMs: number;
  /** L1 blocks per request, in rollup slots: `batchSize * slotDuration / ethereumSlotDuration` blocks. */
  batchSize: number;
  /** Checkpoints of world-state history to keep behind the finalized one; below 1 keeps all. */
  checkpointHistory: number;
  /** Longest pause after failures. Milliseconds. */
  maxBackoffMs: number;
  /**
   * Checkpoints whose blobs are fetched ahead of the one being applied; enough to check blobs in full batches. At six
   * blobs each they take 48 MiB.
   */
  prefetch: number;
  /**
   * Most checkpoints, and most bytes of blob words, that are applied together. applyInParts divides them into commits.
   */
  commit: { checkpoints: number; bytes: number };
}

export const DEFAULT_SYNC_OPTIONS: SyncOptions = {
  pollingIntervalMs: 500,
  batchSize: 100,
  checkpointHistory: 64,
  maxBackoffMs: 15_000,
  prefetch: 64,
  commit: { checkpoints: 128, bytes: 4 * 1024 * 1024 },
};

/**
 * Milliseconds in which each stage worked since the start, none longer than the wall time. Stages overlap; `waiting` is
 * the time lost to fetches.
 */
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
  /** Highest checkpoint on L1 at the start of this iteration. */
  targetCheckpoint: number;
  block: number;
  l1Block: number;
  initialSyncComplete: boolean;
}

/**
 * "rollback": requested by an operator. For proposed blocks only: "slot-passed", their checkpoint can no longer reach
 * L1; "replaced", L1 has a different or shorter checkpoint instead.
 */
export type UnwindReason = "l1-reorg" | "unproven" | "rollback" | "slot-passed" | "replaced";

/** The last block of the proven checkpoint. */
export interface ProvenTip {
  blockNumber: number;
  slot: number;
  epoch: number;
}

export interface SyncEvents {
  /** Emitted after every commit of checkpoints and every iteration. */
  progress: [SyncProgress];
  /** Proposed and checkpointed blocks. A proposed block is not announced again when its checkpoint arrives. */
  blocksAdded: [{ first: number; last: number }];
  /**
   * The chain now ends at `tip`. Removed blocks are listed highest first; `checkpoints` is the number of removed
   * checkpoints.
   */
  blocksRemoved: [
    {
      reason: UnwindReason;
      tip: number;
      removed: RemovedBlock[];
      checkpoints: number;
      epoch: number | undefined;
      /** What removing them took, where it was measured. */
      ms?: number;
    },
  ];
  /** Further messages from L1 were stored; `ms` is what reading and storing them took. */
  messagesAdded: [{ count: number; ms: number }];
  proven: [ProvenTip];
  finalized: [{ blockNumber: number }];
  invalidAttestations: [InvalidProposal];
  initialSyncComplete: [SyncStageTimes];
  /** The number of L1's pending checkpoint, as soon as an iteration has read it. */
  pendingCheckpoint: [number];
}

type Emit = <K extends keyof SyncEvents>(event: K, ...args: SyncEvents[K]) => void;

/** What brings a synchronizer the chain: L1 (sync-iteration.ts), or another node (src/follower). */
export interface ChainSource {
  /** In log lines: following `name` failed. */
  readonly name: string;
  /** Whether it waits for news by itself, so that its iterations follow one another without a pause. */
  readonly waits: boolean;
  /** One iteration. Throws what keeps it from completing; commits up to there stay. */
  run(): Promise<void>;
  /** The stored chain was changed by somebody else. */
  forgetProcessed(): void;
  close(): void;
}

/** What applying blocks, messages and marks needs, whatever they come from. */
export interface ApplyServices {
  readonly store: Store;
  readonly chain: ChainStore;
  readonly worldState: WorldStateWriter;
  readonly reader: Pick<RollupReader, "identity">;
  readonly rebuild: (input: RebuildInput) => Promise<RebuiltCheckpoint>;
  readonly options: SyncOptions;
  readonly logger: Logger;
  readonly emit: Emit;
  /**
   * Serializes everything that prepares blocks for the trees and writes them: proposed blocks arrive while an iteration
   * waits for L1.
   */
  readonly exclusive: <T>(work: () => Promise<T>) => Promise<T>;
  readonly times: SyncStageTimes;
  /** Complete once the source has reached the head of the chain, which the source sets. */
  readonly initialSync: { complete: boolean };
  /** Of the running work, when the synchronizer pauses or stops. */
  readonly interruption: Pick<Interruption, "signal">;
}

/** What is needed to follow L1. */
export interface L1Services {
  readonly reader: RollupReader;
  readonly blobs: BlobFetcher;
  readonly validateAttestations: ValidateAttestations;
}

/** Shared by the stages of a synchronizer that follows L1. */
export interface SyncServices extends ApplyServices, L1Services {
  readonly reader: RollupReader;
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

type TimedStage = "l1Fetch" | "blobFetch" | "waiting" | "rebuild" | "prepare";
/** Works of a stage under way, and since when their time is not counted yet. */
const underWay = new WeakMap<SyncStageTimes, Map<TimedStage, { count: number; since: number }>>();

/** Runs `work` and adds its duration to a stage: time in which several works of a stage overlap counts once. */
export async function timed<T>(times: SyncStageTimes, stage: TimedStage, work: () => Promise<T>): Promise<T> {
  const stages = underWay.get(times) ?? new Map<TimedStage, { count: number; since: number }>();
  underWay.set(times, stages);
  const running = stages.get(stage) ?? { count: 0, since: 0 };
  stages.set(stage, running);
  if (running.count === 0) running.since = performance.now();
  running.count += 1;
  try {
    return await work();
  } finally {
    const now = performance.now();
    times[stage] += now - running.since;
    running.since = now;
    running.count -= 1;
  }
}
