import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import type { Core } from "../../../src/core/core.ts";
import { blockHash } from "../../../src/core/derive/block-hash.ts";
import { HEADER_AT, HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { writeU32 } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../../src/protocol/constants.ts";
import { generationNamed } from "../../../src/protocol/generations/known/choose.ts";
import { openStore } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { networkOfIdentity, recordedPublicData } from "../l1/recorded-networks.ts";
import type { L1Recording, RecordedL1 } from "./recorded-l1.ts";

const NO_EVENTS: ProposedBlock["contractEvents"] = { classes: [], instances: [], updates: [], refused: [] };

/** Store, real trees and synchronizer over the recorded L1. */
export function recordedNode(core: Core, l1: RecordedL1, path: string) {
  const store = openStore({ path });
  const network = networkOfIdentity(l1.identity);
  const { generation } = network;
  const world = new WorldState(core, store, genesisContent(generation, recordedPublicData(core, network)));
  const chain = new ChainStore({
    store,
    genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
    epochDuration: l1.identity.constants.epochDuration,
    generation,
  });
  const synchronizer = new Synchronizer({
    store,
    chain,
    worldState: world,
    reader: l1,
    blobs: l1.blobs,
    rebuild: rebuildInThread(core, generation),
    validateAttestations: async () => ({ valid: true }),
    logger: silentLogger,
  });
  const close = async () => {
    await synchronizer.stop();
    await store.close();
  };
  return { store, world, chain, synchronizer, close };
}

export type RecordedNode = ReturnType<typeof recordedNode>;

/** Blocks of each checkpoint of the recording, rebuilt from its blobs; the first entry belongs to checkpoint 1. */
export async function recordedBlocks(core: Core, { identity, checkpoints, blobs }: L1Recording) {
  const rebuild = rebuildInThread(core, generationNamed(identity.generation));
  const { l1ChainId, rollupVersion, constants } = identity;
  const all: ProposedBlock[][] = [];
  for (const { checkpointNumber, header, archiveRoot, versionedBlobHashes } of checkpoints) {
    const found = versionedBlobHashes.map((hash) => blobs.get(`0x${Buffer.from(hash).toString("hex")}`)!);
    const { rollupManaLimit } = constants;
    const proposal = { checkpointNumber, header, archiveRoot, versionedBlobHashes };
    const blocks = await rebuild({
      ...proposal,
      blobs: Buffer.concat(found),
      l1ChainId,
      rollupVersion,
      rollupManaLimit,
    });
    all.push(blocks.blocks);
  }
  return all;
}

/** What is needed to make a block on top of a chain. */
type Base = Pick<RecordedNode, "world" | "chain">;

/** A first block of the next checkpoint, without txs and messages. */
export function emptyNext(core: Core, node: Base, slot: number): ProposedBlock {
  const latest = node.chain.block(node.chain.latestBlockNumber())!;
  const fork = node.world.fork();
  fork.append(L1_TO_L2_MESSAGE_TREE, [], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  const { root, size } = fork.snapshot(L1_TO_L2_MESSAGE_TREE);
  const block = emptyAfter(
    core,
    node,
    { record: latest, body: new Uint8Array(0), txs: [], contractEvents: NO_EVENTS },
    [],
  );
  const { record } = block;
  record.header.set(root, HEADER_AT.l1ToL2MessageTree);
  writeU32(record.header, HEADER_AT.l1ToL2MessageTree + 32, size);
  writeU32(record.header, HEADER_AT.slotNumber, slot);
  const checkpointNumber = record.checkpointNumber + 1;
  return sealed(core, node, [], { ...block, record: { ...record, checkpointNumber, indexWithinCheckpoint: 0 } });
}

/** Sets a changed block's header hash and its archive root on top of the chain of `node` and `blocks`. */
function sealed(core: Core, node: Base, blocks: ProposedBlock[], block: ProposedBlock): ProposedBlock {
  const hash = blockHash(core, block.record.header);
  const fork = node.world.fork();
  fork.append(ARCHIVE, [...blocks.map(({ record }) => record.hash), hash]);
  return { ...block, record: { ...block.record, hash, archiveRoot: fork.snapshot(ARCHIVE).root } };
}

/** A rival of a block: the same effects with another fee recipient. */
export function rivalOf(core: Core, node: Base, block: ProposedBlock): ProposedBlock {
  const header = Uint8Array.from(block.record.header);
  header[HEADER_AT.coinbase] ^= 1;
  return sealed(core, node, [], { ...block, record: { ...block.record, header } });
}

/** A block without txs on top of `block`, which need not be stored yet. */
export function emptyAfter(core: Core, node: Base, block: ProposedBlock, absent = [block]): ProposedBlock {
  const { record } = block;
  const header = Uint8Array.from(record.header);
  header.set(record.archiveRoot, HEADER_SNAPSHOT_AT[ARCHIVE]);
  writeU32(header, HEADER_SNAPSHOT_AT[ARCHIVE] + 32, record.number + 1);
  writeU32(header, HEADER_AT.blockNumber, record.number + 1);
  header.fill(0, HEADER_AT.totalFees);
  const indexWithinCheckpoint = record.indexWithinCheckpoint + 1;
  return sealed(core, node, absent, {
    record: { ...record, number: record.number + 1, header, indexWithinCheckpoint, txCount: 0 },
    body: new Uint8Array(0),
    txs: [],
    contractEvents: NO_EVENTS,
  });
}
