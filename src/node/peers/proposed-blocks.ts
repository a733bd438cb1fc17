import { ContentStore } from "../../archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import { syncedSlot } from "../../archiver/synced-slot.ts";
import type { CheckpointLimits } from "../../checkpoints/checkpoint-terms.ts";
import { BlockProposalCheck } from "../../checkpoints/proposals/block-proposal-check.ts";
import { reexecutionRecord } from "../../checkpoints/proposals/metrics.ts";
import type { ProposalTxs } from "../../checkpoints/proposals/proposal-txs.ts";
import { executionRecord } from "../../execution/metrics.ts";
import { Siloing } from "../../execution/siloing.ts";
import { Vm } from "../../execution/vm/vm.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { blockChecks } from "../../sequencer/block-checks.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import type { LivePeerSettings } from "../settings/live-peer-settings.ts";

interface ProposedBlocksOptions {
  mempool: Pick<MempoolPart, "pool" | "contexts">;
  committees: Pick<SlotCommittees, "at">;
  txs: ProposalTxs;
  limits: CheckpointLimits;
  /** Read for each block. */
  settings: Readonly<Pick<LivePeerSettings, "storesProposedBlocks">>;
  /** Whether the blocks of a slot are executed. */
  reexecutes(slot: number): boolean | Promise<boolean>;
}

/** The check of blocks that others propose. */
export function proposedBlocks(
  { core, world, store, chain, synchronizer, reader, clock, metrics }: ChainContext,
  { mempool, committees, txs, limits, settings, reexecutes }: ProposedBlocksOptions,
): BlockProposalCheck {
  const { identity } = reader;
  const { constants } = identity;
  return new BlockProposalCheck(
    {
      build: {
        ...{
          core,
          generation: chain.generation,
          world,
          siloing: new Siloing(core, chain.generation),
          vm: new Vm(chain.generation),
        },
        contracts: new ContentStore({ store, chain }),
        record: executionRecord(metrics),
      },
      chain,
      constants,
      chainId: identity.l1ChainId,
      version: identity.rollupVersion,
      limits,
      genesisArchiveRoot: identity.genesisArchiveRoot,
      txRules: (terms, state) => {
        const anchorHash = (hash: Uint8Array) => mempool.pool.summary(hash)?.anchorHash;
        return blockChecks(mempool.contexts, terms, { state, anchorHash });
      },
      sync: {
        syncedSlot: () => syncedSlot(chain, chain.state.processed(), constants),
        poke: () => synchronizer.poke(),
        onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
        addProposedBlock: (block) => synchronizer.addProposedBlock(block),
      },
      messages: (number) => messagesOfCheckpoint(chain.messages, number),
      hatchOpen: async (slot) => (await committees.at(slot)).escapeHatchOpen,
      txs,
      record: reexecutionRecord(metrics),
      now: clock.now,
    },
    {
      reexecutes,
      get stores() {
        return settings.storesProposedBlocks;
      },
    },
  );
}
