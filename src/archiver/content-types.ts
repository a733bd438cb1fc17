import type { TxEffect } from "../protocol/tx-effect.ts";
import type { LogPosition } from "./tables/log-keys.ts";

/** Effects of a settled tx and their position. */
export interface SettledTx {
  blockNumber: number;
  blockHash: Uint8Array;
  slotNumber: number;
  /** Seconds. */
  blockTimestamp: bigint;
  txIndexInBlock: number;
  effect: TxEffect;
}

/** A log found by its tag. */
export interface TaggedLog extends LogPosition {
  blockHash: Uint8Array;
  blockTimestamp: bigint;
  txHash: Uint8Array;
  /** Emitted fields, tag first: n x 32 bytes. */
  logData: Uint8Array;
  /** All note hashes of the tx: n x 32 bytes. */
  noteHashes: Uint8Array;
  nullifiers: Uint8Array;
}

/** Bounds of a search by tag. The first entry after `after` is the first result. */
export interface TagRange {
  /** Inclusive, default 1. */
  fromBlock?: number;
  /** Exclusive; default: no bound. */
  toBlock?: number;
  txHash?: Uint8Array;
  after?: LogPosition;
  /** Number of results to skip, for paging by number. */
  skip?: number;
  limit: number;
}

/**
 * Bounds of a search over all public or contract class logs, in chain order
 * (docs/protocol/05-rpc.md#526-logs-by-range).
 */
export interface LogRange {
  fromBlock?: number;
  /** Exclusive. */
  toBlock?: number;
  txHash?: Uint8Array;
  /** Only logs after this one; `logIndex` counts the tx's logs of the searched kind. */
  after?: { blockNumber: number; txIndex: number; logIndex: number };
  contractAddress?: Uint8Array;
  /** First field; ignored for contract class logs. */
  tag?: Uint8Array;
  limit: number;
}

export interface FoundLog {
  blockNumber: number;
  blockHash: Uint8Array;
  txHash: Uint8Array;
  txIndex: number;
  /** Index among the tx's logs of the searched kind. */
  logIndex: number;
  contractAddress: Uint8Array;
  /** Emitted fields: n x 32 bytes. */
  fields: Uint8Array;
}

export interface ContractClass {
  id: Uint8Array;
  artifactHash: Uint8Array;
  privateFunctionsRoot: Uint8Array;
  packedBytecode: Uint8Array;
  /** Block of registration; 0 for protocol contracts. */
  blockNumber: number;
}

export interface ContractInstance {
  address: Uint8Array;
  salt: Uint8Array;
  deployer: Uint8Array;
  /** The current class at the requested time. */
  currentContractClassId: Uint8Array;
  originalContractClassId: Uint8Array;
  initializationHash: Uint8Array;
  /** Absent in generations whose instances have none. */
  immutablesHash?: Uint8Array;
  /** In the form of the generation's instances. */
  publicKeys: Uint8Array;
  blockNumber: number;
}

/**
 * Reads of block contents: txs, logs, contracts, L2-to-L1 messages. Synchronous; each synchronous run sees one
 * snapshot.
 */
export interface ContentReader {
  settledTx(txHash: Uint8Array): SettledTx | undefined;
  /** By siloed tag. */
  privateLogsByTag(tag: Uint8Array, range: TagRange): TaggedLog[];
  /** Positions are numbered as the generation's API does it. */
  publicLogsByTag(contractAddress: Uint8Array, tag: Uint8Array, range: TagRange): TaggedLog[];
  publicLogs(range: LogRange): { logs: FoundLog[]; maxLogsHit: boolean };
  contractClassLogs(range: LogRange): { logs: FoundLog[]; maxLogsHit: boolean };
  contractClass(id: Uint8Array): ContractClass | undefined;
  /** `timestamp` in seconds selects the current class; default: the latest block's timestamp. */
  contractInstance(address: Uint8Array, timestamp?: bigint): ContractInstance | undefined;
  /** Nested by checkpoint, block and tx of an epoch; empty if the epoch has no checkpointed block. */
  l2ToL1Messages(epoch: number): Uint8Array[][][][];
}
