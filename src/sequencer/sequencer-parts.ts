import type { ChainStore } from "../archiver/chain-store.ts";
import type { ProposedBlock } from "../archiver/rebuilt-checkpoint.ts";
import type { InvalidProposal } from "../archiver/tables/invalid-proposal.ts";
import type { CheckpointBuilder } from "../checkpoints/checkpoint-builder.ts";
import type { CheckpointTerms } from "../checkpoints/checkpoint-terms.ts";
import type { ProcessOptions } from "../execution/process-txs.ts";
import type { ConnectedRollup } from "../l1/types.ts";
import type { Fr } from "../protocol/field.ts";
import type { DutyTimes } from "../telemetry/duty-times.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { AttestationCollector } from "./attestations.ts";
import type { SequencedPool } from "./pending-txs.ts";
import type { Invalidation } from "./publisher/invalidate-request.ts";
import type { CheckpointToPublish, PublishOutcome, RequestsToPublish } from "./publisher/types.ts";
import type { VoteSource } from "./votes/governance-signals.ts";

/** The chain as a proposer reads it. */
type SequencedChain = Pick<
  ChainStore,
  | "block"
  | "checkpoint"
  | "checkpointedBlockNumber"
  | "checkpointsOfEpoch"
  | "latestBlockNumber"
  | "latestCheckpointNumber"
  | "messages"
  | "state"
>;

interface SequencedSync {
  readonly initialSyncComplete: boolean;
  /** Resolves once stored; rejects when the block does not continue the chain. */
  addProposedBlock(block: ProposedBlock): Promise<void>;
  /** Asks for a look at L1 now. */
  poke(): void;
}

/** A checkpoint that is being built. */
export type CheckpointInProgress = Pick<CheckpointBuilder, "buildBlock" | "complete" | "close"> & {
  /** Called for each tx before it is executed: the rules of block building, over the state being built. */
  readonly validate: ProcessOptions["validate"];
};

/** Attesters of this node with their coinbase and fee recipient; addresses are lower-case 0x text. */
interface ProposerKeys {
  attesterAddresses(): string[];
  coinbaseOf(attester: string): string | undefined;
  feeRecipientOf(attester: string): string | undefined;
}

export interface CheckpointPublisher {
  /** Rejects with an InvalidationRefusedError or L1Error. */
  invalidation(invalid: InvalidProposal, slot: number): Promise<Invalidation | undefined>;
  publishCheckpoint(checkpoint: CheckpointToPublish): Promise<PublishOutcome>;
  isPublishing(slot: number): boolean;
  publishRequests(requests: RequestsToPublish): Promise<void>;
}

/** Is told of what is built for own slots. Times are milliseconds. */
export interface BuildRecord {
  block(ms: number, mana: number): void;
  /** A block that was begun and not built. */
  failedBlock(): void;
  checkpoint(built: { ms: number; blocks: number; txs: number; mana: number }): void;
  /** The committee has attested to the checkpoint, so that it is sent to L1. */
  proposed(): void;
}

export interface SequencerParts {
  reader: Pick<ConnectedRollup, "identity" | "latestBlock" | "committee" | "proposals">;
  chain: SequencedChain;
  /** Latest block of the world state. */
  worldTip(): number;
  sync: SequencedSync;
  pool: SequencedPool;
  /** The keys in force now. */
  keys(): ProposerKeys;
  startCheckpoint(terms: CheckpointTerms, messages: Fr[], previousOutHashes: Fr[]): Promise<CheckpointInProgress>;
  attestations: AttestationCollector;
  /** Connected peers; undefined where P2P is off. */
  peers(): number | undefined;
  publisher: CheckpointPublisher;
  votes: VoteSource;
  dutyTimes: Pick<DutyTimes, "done" | "missed">;
  /** Told of what is built; for metrics. */
  record?: BuildRecord;
  /** Unix time in milliseconds. */
  now(): number;
  logger: Logger;
}
