import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { syncedSlot } from "../../../src/archiver/synced-slot.ts";
import { CheckpointBuilder } from "../../../src/checkpoints/checkpoint-builder.ts";
import type { CheckpointTerms, ProposedBlock } from "../../../src/checkpoints/checkpoint-terms.ts";
import {
  BlockProposalCheck,
  type BlockProposalOptions,
  type BlockProposalParts,
  type ProposedHead,
  type ReceivedProposal,
} from "../../../src/checkpoints/proposals/block-proposal-check.ts";
import type { Core } from "../../../src/core/core.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { inHash } from "../../../src/protocol/sha-trees.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { type L1Recording, RecordedL1 } from "../archiver/recorded-l1.ts";
import { recordedNode } from "../archiver/recorded-node.ts";
import { recordedTxs } from "../protocol/recorded-txs.ts";

export type ProposingNode = Awaited<ReturnType<typeof proposingNode>>;

const SENT = new Map(recordedTxs().map(({ hash, tx }) => [toHex(hash), { hash, tx }]));

export const recordedTx = (hash: Uint8Array): HashedTx | undefined => SENT.get(toHex(hash));

/** A node on the recorded chain that has synced the checkpoints before `checkpoint`, and its check of proposals. */
export async function proposingNode(core: Core, recording: L1Recording, checkpoint: number) {
  const folder = mkdtempSync(join(tmpdir(), "svc-proposals-"));
  const published = recording.checkpoints[checkpoint - 1];
  const l1 = new RecordedL1(recording, published.l1.number - 1);
  const node = recordedNode(core, l1, folder);
  await node.synchronizer.syncOnce();
  const { chain, world, store, synchronizer } = node;
  const { identity } = recording;
  const { constants } = identity;
  const build = {
    core,
    generation: V4,
    world,
    contracts: new ContentStore({ store, chain }),
    siloing: new Siloing(core, V4),
    vm: new Vm(V4),
  };
  const limits = { rollupManaLimit: constants.rollupManaLimit };
  const parts: BlockProposalParts = {
    build,
    chain,
    constants,
    limits,
    chainId: identity.l1ChainId,
    version: identity.rollupVersion,
    genesisArchiveRoot: identity.genesisArchiveRoot,
    txRules: () => undefined,
    sync: {
      syncedSlot: () => syncedSlot(chain, chain.state.processed(), constants),
      poke: () => {},
      onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
      addProposedBlock: (block) => synchronizer.addProposedBlock(block),
    },
    messages: (number) => messagesOfCheckpoint(chain.messages, number),
    hatchOpen: async () => false,
    txs: {
      get: async ({ hashes }) => ({
        txs: hashes.flatMap((hash) => recordedTx(hash) ?? []),
        missing: hashes.filter((hash) => recordedTx(hash) === undefined),
      }),
    },
    now: clock(slotTimestamp(checkpointSlot(published.header) + 1, constants) * 1000 - 60_000),
  };
  return {
    ...node,
    l1,
    parts,
    /** Unix milliseconds at which proposals of the checkpoint's slot are too late. */
    deadline: slotTimestamp(checkpointSlot(published.header) + 1, constants) * 1000,
    check: (changes: Partial<BlockProposalParts> = {}, options: Partial<BlockProposalOptions> = {}) =>
      new BlockProposalCheck({ ...parts, ...changes }, { reexecutes: () => true, stores: true, ...options }),
    /** Builds blocks of the checkpoint as its proposer did, without storing them. */
    async proposals(txsOfBlocks: readonly (readonly HashedTx[])[], terms: Partial<CheckpointTerms> = {}) {
      const { header } = published;
      const messages = parts.messages(checkpoint);
      const builder = await CheckpointBuilder.start(
        { ...build, kzg: { commitment: async () => new Uint8Array(48) } },
        {
          checkpointNumber: checkpoint,
          slot: checkpointSlot(header),
          timestamp: slotTimestamp(checkpointSlot(header), constants),
          chainId: identity.l1ChainId,
          version: identity.rollupVersion,
          coinbase: new Uint8Array(20).fill(7),
          feeRecipient: new Uint8Array(32).fill(1),
          gasFees: { feePerDaGas: 0n, feePerL2Gas: 1n },
          limits,
          ...terms,
        },
        messages,
        [],
      );
      const blocks: ProposedBlock[] = [];
      for (const txs of txsOfBlocks) {
        const { block } = await builder.buildBlock(txs, { minValidTxs: txs.length });
        if (block === undefined) throw new Error("the block was not built");
        blocks.push(block);
      }
      builder.close();
      return blocks.map((block) => proposalOf(block, inHash(messages)));
    },
    async remove() {
      await node.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A clock that shows `start` now, in Unix milliseconds. */
export function clock(start: number): () => number {
  const began = performance.now();
  return () => start + performance.now() - began;
}

/** What the network says of a block before it is on L1. */
export type TestProposal = ProposedHead & Pick<ReceivedProposal, "txHashes">;

export function proposalOf({ record, txs }: ProposedBlock, messagesHash: Uint8Array): TestProposal {
  return {
    header: record.header.slice(),
    indexWithinCheckpoint: record.indexWithinCheckpoint,
    inHash: messagesHash,
    archiveRoot: record.archiveRoot.slice(),
    txHashes: txs.map(({ txHash }) => Uint8Array.from(txHash)),
  };
}
