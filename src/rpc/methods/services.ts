import type { ContentReader } from "../../archiver/content-types.ts";
import type { ChainReader } from "../../archiver/types.ts";
import type { Core } from "../../core/core.ts";
import type { FeeReader, L1Block, OutboxReader, RollupIdentity } from "../../l1/types.ts";
import type { CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { AllowedSetupCall } from "../../protocol/tx/setup-allow-list.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { Verdict } from "../../protocol/tx/verdict.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { WorldStateReader } from "../../world-state/types.ts";
import type { SimulationOverrides } from "../params/simulation-overrides.ts";

/** At once from this thread, or later from where the service lives. */
export type Eventually<T> = T | Promise<T>;

export interface NodeStatus {
  /** Whether the node takes transactions. */
  ready(): Eventually<boolean>;
  /** Version of the network release that the node speaks for, for example "4.1.2". */
  readonly version: string;
  /** Whether proofs are checked. */
  readonly realProofs: boolean;
  /** Largest gas limits of a tx that the network's blocks are sure to take. */
  txGasLimits(): Eventually<{ readonly daGas: number; readonly l2Gas: number }>;
}

/** How far L1 was followed. */
export interface SyncProgress {
  /** The L1 block last finished; undefined before the first. */
  lastProcessedL1Block(): L1Block | undefined;
}

export interface PooledTx {
  hash: Uint8Array;
  tx: Tx;
}

/** `mined` is settled but not final; `deleted` left the pool. */
export type PoolStatus = "pending" | "mined" | "deleted";

/** Transactions on their way into a block. */
export interface Mempool {
  /** Rejects with an ExecutionError: with the reasons for an invalid tx, with `data` for one that the pool has no place for. */
  submit(tx: Tx): Promise<void>;
  status(hash: Uint8Array): Eventually<PoolStatus | undefined>;
  get(hash: Uint8Array): Eventually<PooledTx | undefined>;
  /** Pending txs of highest priority first, those after `after`; none for an unknown one. */
  list(limit: number, after: Uint8Array | undefined): Eventually<PooledTx[]>;
  /** Pending txs. */
  count(): Eventually<number>;
  /** Of the pending tx of highest priority; zero for an empty pool. */
  maxPriorityFees(): Eventually<GasFees>;
}

/** Whether a tx could be in the next block. */
export interface TxValidator {
  validate(tx: Tx, options: { isSimulation: boolean; skipFeeEnforcement: boolean }): Promise<Verdict>;
}

export interface Gas {
  daGas: number;
  l2Gas: number;
}

/** What a public call returned and what the calls inside it did. */
export interface CallResult {
  /** n x 32 bytes; undefined when it returned nothing. */
  values: Uint8Array | undefined;
  nested: CallResult[];
}

export interface SimulationRevert {
  originalMessage: string;
  functionErrorStack: {
    contractAddress: Uint8Array;
    contractName?: string;
    /** 4 bytes. */
    functionSelector?: Uint8Array;
    functionName?: string;
  }[];
  /** Opcode locations, innermost last. */
  noirErrorStack?: string[];
  /** n x 32 bytes. */
  revertData: Uint8Array;
}

export interface DebugLog {
  contractAddress: Uint8Array;
  level: "silent" | "fatal" | "error" | "warn" | "info" | "verbose" | "debug" | "trace";
  message: string;
  /** n x 32 bytes. */
  fields: Uint8Array;
}

/** Outcome of a tx's public part (sheet 02 section 4.10). */
export interface SimulationOutput {
  revert?: SimulationRevert;
  /** Header of the block that the tx was run in; its global variables are shown. */
  header: Uint8Array;
  effect: TxEffect;
  returned: CallResult[];
  gasUsed: { totalGas: Gas; teardownGas: Gas; publicGas: Gas; billedGas: Gas };
  debugLogs: DebugLog[];
}

export interface SimulationRequest {
  skipFeeEnforcement: boolean;
  overrides: SimulationOverrides | undefined;
  /** Whose rules are followed where the release's differ from those of the development namespace. */
  generation: "release" | "development";
  /** Address of the client, by which simulations are shared out; "" when it is not known. */
  client: string;
}

/** Runs the public part of a tx on a throw-away fork of the latest state. */
export interface Simulator {
  /** Rejects with an ExecutionError when the tx fails rather than reverts, and when `signal` is aborted before it is simulated. */
  simulate(tx: Tx, options: SimulationRequest, signal?: AbortSignal): Promise<SimulationOutput>;
}

export type Peer =
  | { status: "connected"; id: string; score: number }
  | { status: "dialing"; id: string; dialStatus: string; addresses: string[] }
  | { status: "cached"; id: string; addresses: string[]; enr: string; dialAttempts: number };

export interface CheckpointAttestation {
  header: CheckpointHeader;
  archive: Uint8Array;
  feeAssetPriceModifier: bigint;
  /** 65 bytes r, s, v each. */
  signature: Uint8Array;
  proposerSignature: Uint8Array;
}

export interface BlockProposal {
  header: Uint8Array;
  indexWithinCheckpoint: number;
  inHash: Uint8Array;
  archiveRoot: Uint8Array;
  txHashes: Uint8Array[];
  signature: Uint8Array;
}

export interface CheckpointProposal {
  header: CheckpointHeader;
  archive: Uint8Array;
  feeAssetPriceModifier: bigint;
  signature: Uint8Array;
}

/** The node among its peers (sheet 03 section 12). */
export interface PeerNetwork {
  /** The node's own record, undefined without P2P. */
  enr(): Eventually<string | undefined>;
  /** With `includePending` also peers that are being dialled and those that are only known. */
  peers(includePending: boolean): Eventually<Peer[]>;
  /** One attestation per signer, or all that sign a payload by its keccak256. */
  attestations(slot: number, payloadHash: Uint8Array | undefined): Eventually<CheckpointAttestation[]>;
  proposals(slot: number): Eventually<{ blocks: BlockProposal[]; checkpoints: CheckpointProposal[] }>;
}

export type DutyStatus =
  | "checkpoint-mined"
  | "checkpoint-proposed"
  | "checkpoint-missed"
  | "blocks-missed"
  | "attestation-sent"
  | "attestation-missed";

/** When a duty was last done; seconds. */
export interface DutyTime {
  timestamp: bigint;
  slot: number;
  /** ISO 8601 text of the timestamp. */
  date: string;
}

export interface MissedDuties {
  currentStreak: number;
  rate?: number;
  count: number;
  total: number;
}

export interface ValidatorHistory {
  /** 20 bytes. */
  address: Uint8Array;
  lastProposal?: DutyTime;
  lastAttestation?: DutyTime;
  totalSlots: number;
  missedProposals: MissedDuties;
  missedAttestations: MissedDuties;
  history: { slot: number; status: DutyStatus }[];
}

/** The slots that statistics are about. */
export interface StatsWindow {
  lastProcessedSlot?: number;
  initialSlot?: number;
  slotWindow: number;
}

export interface ValidatorsStats extends StatsWindow {
  stats: ValidatorHistory[];
}

export interface SingleValidatorStats extends StatsWindow {
  validator: ValidatorHistory;
  allTimeProvenPerformance: { missed: number; total: number; epoch: number }[];
}

/** How validators did their duties (sheet 03 section 12.1). */
export interface ValidatorStats {
  all(): Eventually<ValidatorsStats>;
  /** Throws an ExecutionError for a range wider than the history. */
  of(
    validator: Uint8Array,
    fromSlot: number | undefined,
    toSlot: number | undefined,
  ): Eventually<SingleValidatorStats | undefined>;
}

export interface NamedSelector {
  /** 32 bits. */
  selector: number;
  name: string;
}

/** Names of contract functions by their selectors, for revert reasons. */
export interface FunctionSignatureRegister {
  register(functions: readonly NamedSelector[]): Eventually<void>;
}

export interface SetupRules {
  /** What this node's configuration adds to the calls allowed during setup. */
  allowed(): Eventually<readonly AllowedSetupCall[]>;
}

/** What the methods read from. A run of reads without an await between them sees one snapshot. */
export interface NodeServices {
  chain: ChainReader;
  content: ContentReader;
  world: WorldStateReader;
  core: Core;
  identity: RollupIdentity;
  status: NodeStatus;
  sync: SyncProgress;
  fees: FeeReader;
  outbox: OutboxReader;
  mempool: Mempool;
  txValidator: TxValidator;
  simulator: Simulator;
  p2p: PeerNetwork;
  validatorStats: ValidatorStats;
  setup: SetupRules;
  signatures: FunctionSignatureRegister;
}
