import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChainReadsOptions } from "../../../src/archiver/chain-reads.ts";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import type { BlockRecord } from "../../../src/archiver/tables/records.ts";
import { storeOwner } from "../../../src/chain-store/chain-services.ts";
import type { Core } from "../../../src/core/core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import type { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { writeCheckpointBlobs } from "../../../src/protocol/checkpoint-blob-writer.ts";
import {
  BYTES_PER_BLOB,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
} from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { isForPublic } from "../../../src/protocol/tx/accumulated-data.ts";
import { readTxEffects, type TxEffect } from "../../../src/protocol/tx-effect.ts";
import { GlobalVariables } from "../../../src/prover/circuits/layouts/values.ts";
import { decode } from "../../../src/prover/codec/codec.ts";
import type { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type {
  BlockToProve,
  CheckpointEnd,
  CheckpointStart,
  EpochTerms,
  PublicPart,
  TxToProve,
} from "../../../src/prover/epoch/epoch-types.ts";
import { executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { claimStore } from "../../../src/storage/identity.ts";
import { openStore } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { txParameter } from "../../world/protocol/v4-txs.ts";
import { startThreeEpochs } from "../../world/prover/three-epochs.ts";

const FUNDED = { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] };

/** Chain, trees and transactions of the recorded network, whose epochs 23 to 25 are not proven. */
export async function followedEpochs(core: Core) {
  const l1 = await startThreeEpochs();
  const path = mkdtempSync(join(tmpdir(), "followed-epochs-"));
  const store = openStore({ path });
  const close = async () => {
    await store.close();
    rmSync(path, { recursive: true, force: true });
    await l1.stop();
  };
  try {
    const reader = await connectRollup({
      l1RpcUrls: [l1.url],
      l1ChainId: 31337,
      registryAddress: l1.registryAddress,
      ethereumSlotDuration: 4,
      requireTraces: false,
    });
    const blobs = createBlobFetcher({ identity: reader.identity, l1RpcUrls: [l1.url] });
    const publicData = genesisPublicData(core, FUNDED, V4);
    claimStore(store, storeOwner(reader.identity));
    const world = new WorldState(core, store, genesisContent(V4, publicData));
    const chain = new ChainStore({
      store,
      genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
      epochDuration: reader.identity.constants.epochDuration,
      generation: V4,
    });
    const synchronizer = new Synchronizer({
      store,
      chain,
      worldState: world,
      reader,
      blobs,
      rebuild: rebuildInThread(core, V4),
      validateAttestations: async () => ({ valid: true }),
      logger: silentLogger,
    });
    await synchronizer.syncOnce();
    await synchronizer.stop();
    await blobs.close();
    const txs = new Map<string, HashedTx>(
      l1.txs().map((json) => {
        const hash = json.txHash as string;
        return [hash, { hash: fromHex(hash), tx: txParameter.read(json, [], []) }];
      }),
    );
    const content = new ContentStore({ store, chain });
    const { epochDuration } = reader.identity.constants;
    const reads: ChainReadsOptions = { path: store.path, commits: store.commits, epochDuration, publicData };
    return { core, world, chain, content, identity: reader.identity, txs, reads, close };
  } catch (error) {
    await close();
    throw error;
  }
}

export type FollowedEpochs = Awaited<ReturnType<typeof followedEpochs>>;

/** The prover of the recorded submissions. */
const PROVER_ID = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";

export function termsOf({ identity }: FollowedEpochs, epoch: number): EpochTerms {
  return {
    epoch,
    chainId: identity.l1ChainId,
    version: identity.rollupVersion,
    vkTreeRoot: fromHex(V4.contracts.vkTreeRoot),
    protocolContractsHash: fromHex(V4.contracts.protocolContractsHash),
    proverId: fromHex(PROVER_ID),
  };
}

/** The public parts of an epoch's transactions, by hash. */
export function publicPartsOf({ core, chain, world, content, txs }: FollowedEpochs, epoch: number) {
  const [vm, siloing] = [new Vm(V4), new Siloing(core, V4)];
  const parts = new Map<string, PublicPart>();
  for (const { number, startBlock, blockCount } of chain.checkpointsOfEpoch(epoch)) {
    const fork = world.fork(startBlock - 1);
    fork.append(L1_TO_L2_MESSAGE_TREE, messagesOfCheckpoint(chain.messages, number), L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    const first = chain.block(startBlock) as BlockRecord;
    const state = new BlockState({ core, fork, globals: globalsOfHeader(first.header), contracts: content, siloing });
    for (let block = startBlock; block < startBlock + blockCount; block++) {
      const { header } = chain.block(block) as BlockRecord;
      const globals = decode(GlobalVariables, "globals", header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees));
      state.beginBlock(block);
      for (const { txHash } of readTxEffects(chain.blockBody(block) as Uint8Array)) {
        const tx = txs.get(toHex(txHash)) as HashedTx;
        const { publicPart } = executeForProving(vm, state, tx, {
          globals,
          proverId: fromHex(PROVER_ID),
          generation: V4,
        });
        if (publicPart !== undefined) parts.set(toHex(txHash), publicPart);
      }
    }
  }
  return parts;
}

/** A checkpoint as an EpochProver takes it. */
export interface GivenCheckpoint {
  /** With a fork of its own each time. */
  start(): CheckpointStart;
  blocks: BlockToProve[];
  end: CheckpointEnd;
}

/** The checkpoints of an epoch. `publicPart` is asked for each transaction with public calls. */
export async function checkpointsOf(
  { chain, world, txs }: FollowedEpochs,
  epoch: number,
  kzg: Pick<Kzg, "commitment">,
  publicPart: (hash: string) => Promise<PublicPart>,
): Promise<GivenCheckpoint[]> {
  const given = chain.checkpointsOfEpoch(epoch).map(async ({ number, startBlock, blockCount, header }) => {
    const records = Array.from({ length: blockCount }, (_, i) => chain.block(startBlock + i) as BlockRecord);
    const bodies = records.map((record) => chain.blockBody(record.number) as Uint8Array);
    const words = writeCheckpointBlobs(records.map((record, i) => ({ ...record, body: bodies[i] })));
    const blobs = Array.from({ length: words.length / BYTES_PER_BLOB }, (_, i) =>
      words.slice(i * BYTES_PER_BLOB, (i + 1) * BYTES_PER_BLOB),
    );
    const txToProve = (effect: TxEffect): TxToProve => {
      const tx = txs.get(toHex(effect.txHash)) as HashedTx;
      if (!isForPublic(tx.tx.data)) return { ...tx, effect };
      const executed = publicPart(toHex(effect.txHash));
      executed.catch(() => undefined);
      return { ...tx, effect, publicPart: executed };
    };
    return {
      start: () => ({
        number,
        previousHeader: (chain.block(startBlock - 1) as BlockRecord).header,
        messages: messagesOfCheckpoint(chain.messages, number),
        fork: world.fork(startBlock - 1),
      }),
      blocks: records.map(({ header: own, archiveRoot }, i) => ({
        header: own,
        archiveRoot,
        txs: readTxEffects(bodies[i]).map(txToProve),
      })),
      end: { header, commitments: await Promise.all(blobs.map((blob) => kzg.commitment(blob))) },
    };
  });
  return Promise.all(given);
}

/** Gives checkpoints to their prover, and ends them. */
export async function addCheckpoints(prover: EpochProver, checkpoints: readonly GivenCheckpoint[]): Promise<void> {
  for (const { start, blocks, end } of checkpoints) {
    const checkpoint = prover.startCheckpoint(start());
    for (const block of blocks) await checkpoint.addBlock(block);
    checkpoint.end(end);
  }
}
