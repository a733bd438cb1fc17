import type { ContentReader, SettledTx } from "../../../src/archiver/content-types.ts";
import type { BlockRecord, CheckpointRecord } from "../../../src/archiver/tables/records.ts";
import type { ChainReader } from "../../../src/archiver/types.ts";
import type { Core } from "../../../src/core/core.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { genesisHeader } from "../../../src/protocol/block-header.ts";
import { equal } from "../../../src/protocol/bytes.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { ABSENT_SERVICES } from "../../../src/rpc/ports/absent-services.ts";
import type { NodeServices } from "../../../src/rpc/ports/node-services.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";
import type { StateAt, WorldStateReader } from "../../../src/world-state/types.ts";

/** In-memory stand-ins for the services below the RPC layer. */

export const GENESIS_BLOCK: BlockRecord = {
  number: 0,
  hash: new Uint8Array(32).fill(1),
  header: genesisHeader([]),
  archiveRoot: new Uint8Array(32),
  checkpointNumber: 0,
  indexWithinCheckpoint: 0,
  txCount: 0,
};

interface FakeChainContent {
  /** V4 when absent. */
  generation?: Generation;
  blocks?: { block: BlockRecord; body: Uint8Array }[];
  checkpoints?: CheckpointRecord[];
  /** Height of the checkpointed chain; all blocks when absent. */
  checkpointed?: number;
  /** Heights; the highest known when absent. */
  latest?: number;
  epochOf?(checkpoint: CheckpointRecord): number;
  messages?: { leaf: Uint8Array; index: number }[];
}

export function fakeChain(content: FakeChainContent = {}): ChainReader {
  const { blocks = [], checkpoints = [], messages = [] } = content;
  const byNumber = new Map(blocks.map((entry) => [entry.block.number, entry]));
  if (!byNumber.has(0)) byNumber.set(0, { block: GENESIS_BLOCK, body: new Uint8Array() });
  const latest = content.latest ?? Math.max(...byNumber.keys());
  const genesis = { number: 0, hash: V4.genesis.blockHash! };
  const tip = { block: genesis, checkpoint: { number: 0, hash: V4.genesis.checkpointHash } };
  const find = (matches: (block: BlockRecord) => boolean) =>
    [...byNumber.values()].find(({ block }) => matches(block))?.block.number;
  return {
    generation: content.generation ?? V4,
    tips: () => ({ proposed: genesis, checkpointed: tip, proven: tip, finalized: tip }),
    latestBlockNumber: () => latest,
    checkpointedBlockNumber: () => content.checkpointed ?? latest,
    provenBlockNumber: () => latest,
    finalizedBlockNumber: () => 0,
    latestCheckpointNumber: () => Math.max(0, ...checkpoints.map(({ number }) => number)),
    block: (number) => byNumber.get(number)?.block,
    blockBody: (number) => byNumber.get(number)?.body,
    blockNumberByHash: (hash) => find((block) => equal(block.hash, hash)),
    blockNumberByArchive: (root) => find((block) => block.number > 0 && equal(block.archiveRoot, root)),
    checkpoint: (number) => checkpoints.find((checkpoint) => checkpoint.number === number),
    checkpointsOfEpoch: (epoch) => checkpoints.filter((checkpoint) => content.epochOf?.(checkpoint) === epoch),
    messageIndex: (leaf) => messages.find((message) => equal(message.leaf, leaf))?.index,
  };
}

type FlatReads = Partial<WorldStateReader> & {
  leaf?: (block: number, ...args: Parameters<StateAt["leaf"]>) => ReturnType<StateAt["leaf"]>;
};

/** Empty trees up to block `tip`; `overrides` replace single reads, those of the state at a block included. */
export function fakeWorld(tip: number, overrides: FlatReads = {}): WorldStateReader {
  const zero = new Uint8Array(32);
  const reads = {
    status: () => ({ tip, finalized: 0, oldest: 1 }),
    snapshot: () => ({ root: zero, size: 0 }),
    findLeaf: () => undefined,
    blockOfLeaf: () => undefined,
    leafAt: () => zero,
    siblingPath: () => new Uint8Array(32),
    leaf: () => undefined,
    lowLeaf: () => ({ leaf: { index: 0, key: zero, value: zero, nextKey: zero, nextIndex: 0 }, present: false }),
    lowLeafText: () => undefined,
    genesisHeader: () => GENESIS_BLOCK.header,
    ...overrides,
  };
  return {
    at: (meant) => {
      const block = meant === "latest" ? tip : meant;
      if (block > tip) throw new UnknownStateError(block);
      return {
        block,
        snapshot: (...args) => reads.snapshot(block, ...args),
        findLeaf: (...args) => reads.findLeaf(block, ...args),
        leafAt: (...args) => reads.leafAt(block, ...args),
        siblingPath: (tree, position) => reads.siblingPath(block, tree, position),
        leaf: (...args) => reads.leaf(block, ...args),
        lowLeaf: (...args) => reads.lowLeaf(block, ...args),
      };
    },
    ...reads,
  };
}

/** Blocks without contents; `overrides` replace single reads. */
export function fakeContent(overrides: Partial<ContentReader> = {}): ContentReader {
  return {
    settledTx: () => undefined,
    privateLogsByTag: () => [],
    publicLogsByTag: () => [],
    publicLogs: () => ({ logs: [], maxLogsHit: false }),
    contractClassLogs: () => ({ logs: [], maxLogsHit: false }),
    contractClass: () => undefined,
    contractInstance: () => undefined,
    l2ToL1Messages: () => [],
    ...overrides,
  };
}

/** A word of 32 times the same byte. */
export function wordOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}

export function settledTx(overrides: Partial<SettledTx> & { revertCode?: number } = {}): SettledTx {
  const { revertCode = 0, ...rest } = overrides;
  const empty = new Uint8Array();
  return {
    blockNumber: 2,
    blockHash: wordOf(0x12),
    slotNumber: 70,
    blockTimestamp: 1_700_000_000n,
    txIndexInBlock: 1,
    effect: {
      words: empty,
      revertCode,
      txHash: wordOf(7),
      transactionFee: new Uint8Array(32).fill(255, 31),
      noteHashes: wordOf(3),
      nullifiers: wordOf(4),
      l2ToL1Msgs: empty,
      publicDataWrites: empty,
      privateLogs: [],
      publicLogs: [],
      contractClassLogs: [],
    },
    ...rest,
  };
}

export const IDENTITY: RollupIdentity = {
  l1ChainId: 31337,
  rollupVersion: 344372055,
  addresses: Object.fromEntries(
    [
      "registryAddress",
      "rollupAddress",
      "inboxAddress",
      "outboxAddress",
      "feeJuiceAddress",
      "stakingAssetAddress",
      "feeJuicePortalAddress",
      "coinIssuerAddress",
      "rewardDistributorAddress",
      "governanceProposerAddress",
      "governanceAddress",
    ].map((name, i) => [name, `0x${(i + 1).toString(16).padStart(40, "0")}`]),
  ) as unknown as RollupIdentity["addresses"],
  constants: {
    l1StartBlock: 9,
    l1GenesisTime: 1000,
    slotDuration: 72,
    epochDuration: 32,
    ethereumSlotDuration: 12,
    proofSubmissionEpochs: 1,
    targetCommitteeSize: 48,
    rollupManaLimit: 75_000_000,
  },
  l1StartBlockHash: wordOf(0),
  genesisArchiveRoot: wordOf(0x29),
};

export function fakeServices(overrides: Partial<NodeServices> = {}): NodeServices {
  return {
    ...ABSENT_SERVICES,
    chain: fakeChain(),
    content: fakeContent(),
    world: fakeWorld(0),
    core: {
      hashWithSeparator: () => new Uint8Array(32),
      hash: () => wordOf(0x55),
      hashBytes: () => wordOf(0x56),
    } as unknown as Core,
    identity: IDENTITY,
    status: {
      ready: () => true,
      version: "4.1.2",
      revertWords: "4.3",
      realProofs: false,
      txGasLimits: () => ({ daGas: 117_965, l2Gas: 6_540_000 }),
    },
    sync: { lastProcessedL1Block: () => undefined },
    fees: {
      currentMinFees: async () => ({ feePerDaGas: 0n, feePerL2Gas: 87_014_100_000n }),
      predictedMinFees: async () => [1n, 2n, 3n].map((feePerL2Gas) => ({ feePerDaGas: 0n, feePerL2Gas })),
    },
    outbox: { roots: async () => [] },
    signatures: { register: () => {} },
    ...overrides,
  };
}

export interface LogEntry {
  level: keyof Logger;
  facts: object;
  message: string;
}

/** A logger that keeps its entries. */
export function recordingLogger(): Logger & { entries: LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: LogEntry["level"]) => (facts: object, message: string) =>
    void entries.push({ level, facts, message });
  return { entries, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
