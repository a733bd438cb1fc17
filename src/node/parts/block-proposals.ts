import { ContentStore } from "../../archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import { syncedSlot } from "../../archiver/synced-slot.ts";
import { BlockProposalCheck } from "../../checkpoints/proposals/block-proposal-check.ts";
import type { ProposalTxs } from "../../checkpoints/proposals/proposal-txs.ts";
import type { Values } from "../../config/options.ts";
import { Siloing } from "../../execution/siloing.ts";
import { Vm } from "../../execution/vm/vm.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { blockChecks } from "../../sequencer/block-checks.ts";
import type { ChainContext } from "./chain-context.ts";
import type { MempoolPart } from "./mempool.ts";

export type BlockProposalSettings = Pick<
  Values,
  | "alwaysReexecuteBlockProposals"
  | "skipPushProposedBlocksToArchiver"
  | "validateMaxDABlockGas"
  | "validateMaxL2BlockGas"
  | "validateMaxTxsPerBlock"
  | "validateMaxTxsPerCheckpoint"
>;

export interface BlockProposalOptions {
  values: BlockProposalSettings;
  mempool: Pick<MempoolPart, "pool" | "contexts">;
  committees: Pick<SlotCommittees, "at">;
  txs: ProposalTxs;
}

/** The check of other proposers' blocks, for a node without validators. */
export function blockProposalCheck(context: ChainContext, options: BlockProposalOptions): BlockProposalCheck {
  const { core, store, chain, world, reader, synchronizer } = context;
  const { values, mempool, committees, txs } = options;
  const { pool, contexts } = mempool;
  const { identity } = reader;
  const { constants } = identity;
  return new BlockProposalCheck(
    {
      build: { core, world, contracts: new ContentStore({ store, chain }), siloing: new Siloing(core), vm: new Vm() },
      chain,
      constants,
      chainId: identity.l1ChainId,
      version: identity.rollupVersion,
      genesisArchiveRoot: identity.genesisArchiveRoot,
      limits: {
        rollupManaLimit: constants.rollupManaLimit,
        maxTxsPerCheckpoint: values.validateMaxTxsPerCheckpoint,
        maxL2BlockGas: values.validateMaxL2BlockGas,
        maxDaBlockGas: values.validateMaxDABlockGas,
        maxTxsPerBlock: values.validateMaxTxsPerBlock,
      },
      txRules: (terms, state) =>
        blockChecks(contexts, terms, { state, anchorHash: (hash) => pool.summary(hash)?.anchorHash }),
      sync: {
        syncedSlot: () => syncedSlot(chain, chain.state.processed(), constants),
        poke: () => synchronizer.poke(),
        onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
        addProposedBlock: (block) => synchronizer.addProposedBlock(block),
      },
      messages: (checkpoint) => messagesOfCheckpoint(chain.messages, checkpoint),
      hatchOpen: async (slot) => (await committees.at(slot)).escapeHatchOpen,
      txs,
      now: context.clock.now,
    },
    {
      reexecutes: () => values.alwaysReexecuteBlockProposals,
      stores: !values.skipPushProposedBlocksToArchiver,
    },
  );
}
