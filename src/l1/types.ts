import type { CheckpointHeader } from "../protocol/checkpoint-header.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import type { ManaUsage } from "../protocol/fees/predicted-min-fees.ts";
import type { L1Constants } from "../protocol/time.ts";

export interface L1Block {
  number: number;
  hash: Uint8Array;
  /** Seconds. */
  timestamp: number;
}

/** Lower-case 0x addresses, named as in the RPC result (sheet 02 section 4.9). */
export interface L1ContractAddresses {
  registryAddress: string;
  rollupAddress: string;
  inboxAddress: string;
  outboxAddress: string;
  feeJuiceAddress: string;
  stakingAssetAddress: string;
  feeJuicePortalAddress: string;
  coinIssuerAddress: string;
  rewardDistributorAddress: string;
  governanceProposerAddress: string;
  governanceAddress: string;
  gseAddress?: string;
  dateGatedRelayerAddress?: string;
  slashFactoryAddress?: string;
  feeAssetHandlerAddress?: string;
  stakingAssetHandlerAddress?: string;
  zkPassportVerifierAddress?: string;
}

/** What never changes while a node follows one rollup. */
export interface RollupIdentity {
  l1ChainId: number;
  rollupVersion: number;
  addresses: L1ContractAddresses;
  constants: L1Constants;
  /** Hash of the L1 block that deployed the rollup. */
  l1StartBlockHash: Uint8Array;
  genesisArchiveRoot: Uint8Array;
}

/** One committee member's entry of a proposal: zero address when only the signature was posted, no signature when only the address was. */
export interface CommitteeAttestation {
  /** 20 bytes. */
  address: Uint8Array;
  /** 65 bytes r, s, v, or undefined. */
  signature: Uint8Array | undefined;
}

/** A checkpoint as proposed on L1: calldata decoded and bound to the event by its hashes (sheet 04 section 3). Blobs are not fetched yet. */
export interface ProposedCheckpoint {
  checkpointNumber: number;
  archiveRoot: Uint8Array;
  header: CheckpointHeader;
  feeAssetPriceModifier: bigint;
  attestations: CommitteeAttestation[];
  payloadDigest: Uint8Array;
  versionedBlobHashes: Uint8Array[];
  l1: L1Block;
  transactionHash: Uint8Array;
}

/** Rollup.status() at some L1 block. */
export interface RollupStatus {
  provenCheckpointNumber: number;
  provenArchive: Uint8Array;
  pendingCheckpointNumber: number;
  pendingArchive: Uint8Array;
  /** Archive on L1 of the checkpoint number that was asked about; zero when there is none. */
  archiveOfMyCheckpoint: Uint8Array;
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
  /** 16 bytes, after this message. */
  rollingHash: Uint8Array;
  l1BlockNumber: number;
  l1BlockHash: Uint8Array;
}

/** Committee of an epoch; undefined when the network has none for it (no committee required, or not enough validators). */
export interface EpochCommittee {
  epoch: number;
  /** 20-byte addresses. */
  committee: Uint8Array[] | undefined;
  seed: bigint;
  escapeHatchOpen: boolean;
}

/** Reads of the rollup and inbox contracts that following the chain needs. `at` pins a call to an L1 block number. */
export interface RollupReader {
  readonly identity: RollupIdentity;
  latestBlock(): Promise<L1Block>;
  /** The finalized L1 block, undefined when the endpoint knows none. */
  finalizedBlock(): Promise<L1Block | undefined>;
  block(number: number): Promise<L1Block | undefined>;
  status(checkpointNumber: number, at: number): Promise<RollupStatus>;
  provenCheckpointNumber(at: number): Promise<number>;
  canPruneAtTime(timestamp: number, at: number): Promise<boolean>;
  /** Zero when there is no such checkpoint. */
  archiveAt(checkpointNumber: number): Promise<Uint8Array>;
  /** Proposals in the L1 block range (inclusive), in L1 order; those that L1 no longer holds are left out. */
  checkpoints(fromBlock: number, toBlock: number): Promise<ProposedCheckpoint[]>;
  inboxState(at: number): Promise<InboxState>;
  messages(fromBlock: number, toBlock: number): Promise<InboxMessage[]>;
  /** The inbox event of a leaf, undefined when L1 has none. */
  findMessage(leaf: Uint8Array): Promise<InboxMessage | undefined>;
  /** Committees may be kept; with `fresh` L1 is asked. */
  committee(epoch: number, fresh?: boolean): Promise<EpochCommittee>;
}

/** Min fees that the rollup demands. Both throw an L1Error while L1 does not answer; the next call asks again. */
export interface FeeReader {
  /** What the next checkpoint has to charge (sheet 04 section 11). */
  currentMinFees(): Promise<GasFees>;
  /**
   * The current min fees, then those predicted for the next two slots in which a checkpoint may come, when checkpoints use as much mana as
   * assumed (sheet 03 section 11.3).
   */
  predictedMinFees(usage: ManaUsage): Promise<GasFees[]>;
}

/** What the rollup says to a proposer before it builds. All throw an L1Error while L1 does not answer. */
export interface ProposalReader {
  /**
   * The slot of a time (seconds) and the number that a checkpoint on top of `archive` would have there. Throws a ContractRevertError when
   * the rollup would not take it: Rollup__SlotAlreadyInChain, Rollup__InvalidArchive, ValidatorSelection__InvalidProposer.
   * `proposer` (20 bytes) is zero where anyone may propose.
   */
  canProposeAt(
    timestamp: number,
    archive: Uint8Array,
    proposer: Uint8Array,
  ): Promise<{ slot: number; checkpointNumber: number }>;
  /** What a checkpoint has to charge whose slot starts at a time (seconds), to the unit. */
  minFeesAt(timestamp: number): Promise<GasFees>;
  /** Basis points by which the next checkpoint should move the fee asset's price; zero when nothing tells it. */
  feeAssetPriceModifier(): Promise<bigint>;
}

/** Roots of L2-to-L1 messages that proofs have put on L1. */
export interface OutboxReader {
  /**
   * Root of an epoch as of an L1 block: the one that the node is synced to. Undefined while no proof of the epoch with messages has
   * landed. Throws an L1Error while L1 does not answer.
   */
  root(epoch: number, at: L1Block): Promise<Uint8Array | undefined>;
}

/** A rollup that an L1 endpoint serves, with all that a node reads from it. */
export interface ConnectedRollup extends RollupReader {
  readonly fees: FeeReader;
  readonly outbox: OutboxReader;
  readonly proposals: ProposalReader;
}

export interface BlobFetchOptions {
  /** The initial sync: file stores are not asked again for blobs that are still missing. */
  historical: boolean;
  /**
   * Recompute each blob's commitment from its data. Without it only the commitment that comes with a blob is held against the
   * versioned hash; the caller then has to bind the data by other means, see sheet 04 section 4.5.
   */
  recompute?: boolean;
  signal?: AbortSignal;
}

/** Fetches blobs by versioned hash from the sources of a network. */
export interface BlobFetcher {
  /**
   * The blobs (131,072 bytes each) in the order of `versionedHashes`.
   * Throws MissingBlobError when every source has been asked and some are still missing.
   */
  fetch(l1Block: L1Block, versionedHashes: Uint8Array[], options: BlobFetchOptions): Promise<Uint8Array[]>;
}
