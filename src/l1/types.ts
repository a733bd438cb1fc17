import type { CheckpointHeader } from "../protocol/checkpoint-header.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import type { ManaUsage } from "../protocol/fees/predicted-min-fees.ts";
import type { L1Constants } from "../protocol/time.ts";
import type { L1ContractAddresses } from "./contract-addresses.ts";
import type { StateOverride } from "./state-override.ts";

export interface L1Block {
  number: number;
  hash: Uint8Array;
  /** Seconds. */
  timestamp: number;
}

/** Constants of the rollup that the node follows. */
export interface RollupIdentity {
  l1ChainId: number;
  rollupVersion: number;
  /** Recorded name of the generation (src/protocol/generations/known/choose.ts). */
  generation?: string;
  addresses: L1ContractAddresses;
  constants: L1Constants;
  /** Hash of the L1 block that deployed the rollup. */
  l1StartBlockHash: Uint8Array;
  genesisArchiveRoot: Uint8Array;
}

/**
 * A committee member's entry in a proposal. The address is zero if only the signature was posted, and the signature is
 * absent if only the address was.
 */
export interface CommitteeAttestation {
  /** 20 bytes. */
  address: Uint8Array;
  /** 65 bytes r, s, v, or undefined. */
  signature: Uint8Array | undefined;
}

/**
 * A checkpoint as proposed on L1. The decoded calldata matches the hashes in the event
 * (docs/protocol/04-l1-contracts.md#48-finding-the-calldata). Blobs are not fetched yet.
 */
export interface ProposedCheckpoint {
  checkpointNumber: number;
  archiveRoot: Uint8Array;
  header: CheckpointHeader;
  feeAssetPriceModifier: bigint;
  attestations: CommitteeAttestation[];
  /** Bits of the posted bitmap that belong to no member. */
  unusedBits: number;
  payloadDigest: Uint8Array;
  versionedBlobHashes: Uint8Array[];
  /** KZG commitments of the blobs, 48 bytes each. */
  blobCommitments: Uint8Array[];
  l1: L1Block;
  transactionHash: Uint8Array;
}

/** Rollup.status() at some L1 block. */
export interface RollupStatus {
  provenCheckpointNumber: number;
  provenArchive: Uint8Array;
  pendingCheckpointNumber: number;
  pendingArchive: Uint8Array;
  /** Archive root on L1 of the requested checkpoint; zero if there is none. */
  archiveOfMyCheckpoint: Uint8Array;
}

/** What one endpoint says of the rollup at an L1 block. */
export interface EndpointView {
  /** Redacted. */
  url: string;
  /** Hash that the endpoint has for the block; undefined if it has none there. */
  head: Uint8Array | undefined;
  /** Hash that it has for the earlier block that was asked for. */
  earlier: Uint8Array | undefined;
  status: RollupStatus;
}

/** An endpoint that has a block, but not the rollup's logs in it or not the transactions of these: they are pruned. */
export interface MissingHistory {
  /** Redacted. */
  url: string;
  lacks: "logs" | "transactions";
}

export interface InboxState {
  /** 16 bytes. */
  rollingHash: Uint8Array;
  totalMessagesInserted: number;
}

export interface InboxMessage {
  checkpointNumber: number;
  index: number;
  leaf: Uint8Array;
  /** Rolling hash after this message, 16 bytes. */
  rollingHash: Uint8Array;
  l1BlockNumber: number;
  l1BlockHash: Uint8Array;
}

/** Committee of an epoch; undefined if there is none (no committee required, or not enough validators). */
export interface EpochCommittee {
  epoch: number;
  /** 20-byte addresses. */
  committee: Uint8Array[] | undefined;
  seed: bigint;
  escapeHatchOpen: boolean;
  /** False while a later L1 block may still change the seed, and with it the committee and its proposers. */
  settled: boolean;
}

/** Reads from the rollup and inbox contracts for following the chain. `at` pins a call to an L1 block number. */
export interface RollupReader {
  readonly identity: RollupIdentity;
  latestBlock(): Promise<L1Block>;
  /** The finalized L1 block; undefined if the endpoint knows none. */
  finalizedBlock(): Promise<L1Block | undefined>;
  block(number: number): Promise<L1Block | undefined>;
  status(checkpointNumber: number, at: number): Promise<RollupStatus>;
  provenCheckpointNumber(at: number): Promise<number>;
  canPruneAtTime(timestamp: number, at: number): Promise<boolean>;
  /** Archive root of a checkpoint; zero if there is no such checkpoint. */
  archiveAt(checkpointNumber: number): Promise<Uint8Array>;
  /** Proposals in the L1 block range (inclusive), in L1 order, without those that were pruned from the rollup. */
  checkpoints(fromBlock: number, toBlock: number): Promise<ProposedCheckpoint[]>;
  inboxState(at: number): Promise<InboxState>;
  messages(fromBlock: number, toBlock: number): Promise<InboxMessage[]>;
  /** The inbox event of a leaf; undefined if L1 has none. */
  findMessage(leaf: Uint8Array): Promise<InboxMessage | undefined>;
  /**
   * The rollup's status for a checkpoint at L1 block `at`, from each endpoint by itself, with the hashes that it has
   * for
   * that block and for an earlier one. Endpoints that do not answer are left out.
   */
  views(question: { checkpoint: number; at: number; earlier: number | undefined }): Promise<EndpointView[]>;
  /**
   * What endpoints lack of an L1 block in which the rollup logged something: its deployment's, or that of a checkpoint.
   * Endpoints that do not answer, or have another block at this height, are left out.
   */
  missingHistory(at: Pick<L1Block, "number" | "hash">): Promise<MissingHistory[]>;
  /** Committee of an epoch, possibly cached; `fresh` bypasses the cache. */
  committee(epoch: number, fresh?: boolean): Promise<EpochCommittee>;
}

/** Minimum fees of the rollup. Both methods throw an L1Error if L1 does not answer; the next call retries. */
export interface FeeReader {
  /** Minimum fees of the next checkpoint (docs/protocol/04-l1-contracts.md#429-price-of-mana). */
  currentMinFees(): Promise<GasFees>;
  /**
   * The current minimum fees, then predictions for the next two possible checkpoint slots, assuming that checkpoints
   * use the given amount of mana (docs/protocol/07-transactions-and-fees.md#711-fees-that-nodes-tell).
   */
  predictedMinFees(usage: ManaUsage): Promise<GasFees[]>;
}

/**
 * Reads for a proposer before it builds. All throw an L1Error if L1 does not answer. `pending`: the rollup's pending
 * chain as an invalidation in front of the proposal will leave it.
 */
export interface ProposalReader {
  /**
   * The slot at a time (seconds) and the number of a checkpoint built there on top of `archive`. Throws a
   * ContractRevertError if the rollup would reject it: Rollup__SlotAlreadyInChain, Rollup__InvalidArchive,
   * ValidatorSelection__InvalidProposer. `proposer` (20 bytes) is zero where anyone may propose.
   */
  canProposeAt(
    timestamp: number,
    archive: Uint8Array,
    proposer: Uint8Array,
    pending?: StateOverride,
  ): Promise<{ slot: number; checkpointNumber: number }>;
  /** Exact minimum fees of a checkpoint whose slot starts at a time (seconds). */
  minFeesAt(timestamp: number, pending?: StateOverride): Promise<GasFees>;
  /** Change of the fee asset's price that the next checkpoint should make, in basis points; zero if unknown. */
  feeAssetPriceModifier(): Promise<bigint>;
}

/** Reads the roots of L2-to-L1 messages, which proofs write to L1. */
/** Root of the messages of an epoch's first checkpoints. */
export interface EpochRoot {
  root: Uint8Array;
  /** Number of checkpoints that it covers; undefined if the outbox does not say. */
  checkpoints: number | undefined;
}

export interface OutboxReader {
  /**
   * Roots of an epoch as of the L1 block that the node is synced to, by ascending number of checkpoints. None until a
   * proof of the epoch that contains messages is on L1. Throws an L1Error if L1 does not answer.
   */
  roots(epoch: number, at: L1Block): Promise<EpochRoot[]>;
}

/** A rollup on a connected L1, with all readers that a node needs. */
export interface ConnectedRollup extends RollupReader {
  /** Addresses (20 bytes) of all registered attesters, at the latest L1 block. */
  attesters(): Promise<Uint8Array[]>;
  /** Address of the newest rollup of the registry, lower-case. */
  canonicalRollup(): Promise<string>;
  readonly fees: FeeReader;
  readonly outbox: OutboxReader;
  readonly proposals: ProposalReader;
}

export interface BlobFetchOptions {
  /** Set in the initial sync: file stores are not asked again for missing blobs. */
  historical: boolean;
  /**
   * Recompute each blob's commitment from its data. Otherwise only the commitment given by the source is checked
   * against the versioned hash, and the caller has to verify the data by other means
   * (docs/protocol/03-blocks-and-blobs.md#314-commitments).
   */
  recompute?: boolean;
  signal?: AbortSignal;
}

/** Fetches blobs by versioned hash from the sources of a network. */
export interface BlobFetcher {
  /**
   * The blobs (131,072 bytes each) in the order of `versionedHashes`.
   * Throws MissingBlobError if some are missing after all sources were asked.
   */
  fetch(l1Block: L1Block, versionedHashes: Uint8Array[], options: BlobFetchOptions): Promise<Uint8Array[]>;
}
