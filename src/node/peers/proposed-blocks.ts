import { ContentStore } from "../../archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../archiver/message-chain.ts";
import { syncedSlot } from "../../archiver/synced-slot.ts";
import { BlockProposalCheck } from "../../checkpoints/proposals/block-proposal-check.ts";
import type { ProposalTxs } from "../../checkpoints/proposals/proposal-txs.ts";
import { Siloing } from "../../execution/siloing.ts";
import { Vm } from "../../execution/vm/vm.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import { headerBlockNumber } from "../../protocol/block-header.ts";
import { toHex, word } from "../../protocol/bytes.ts";
import { type BlockProposal, blockProposalSlot } from "../../protocol/consensus/block-proposal.ts";
import { blockChecks } from "../../sequencer/block-checks.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { ChainContext } from "../parts/chain-context.ts";
import type { MempoolPart } from "../parts/mempool.ts";

export interface ProposedBlocksOptions {
  mempool: Pick<MempoolPart, "pool" | "contexts">;
  committees: Pick<SlotCommittees, "at">;
  txs: ProposalTxs;
  /** Whether to execute the blocks of others; otherwise only their txs are collected. */
  reexecutes: boolean;
  /** Whether executed blocks become the node's proposed blocks. */
  stores: boolean;
  logger: Logger;
  /** Repeats the rules of arrival; returns the broken one. */
  brokenRule(proposal: BlockProposal): Promise<string | undefined>;
}

/** Handles the block proposals of peers on a node without a validator. */
export interface ProposedBlocks {
  /** Never rejects. */
  process(proposal: BlockProposal, from: string): Promise<void>;
  stop(): void;
}

/** 32 bytes each, in the block's order. */
export function proposalTxHashes({ txHashes }: Pick<BlockProposal, "txHashes">): Uint8Array[] {
  return Array.from({ length: txHashes.length / 32 }, (_, i) => word(txHashes, i).slice());
}

/** Executes the blocks that others propose, and adds valid ones to the chain as proposed blocks. */
export function proposedBlocks(context: ChainContext, options: ProposedBlocksOptions): ProposedBlocks {
  const { core, world, store, chain, synchronizer, reader, clock } = context;
  const { mempool, committees, logger } = options;
  const { identity } = reader;
  const { constants } = identity;
  const check = new BlockProposalCheck(
    {
      build: { core, world, contracts: new ContentStore({ store, chain }), siloing: new Siloing(core), vm: new Vm() },
      chain,
      constants,
      chainId: identity.l1ChainId,
      version: identity.rollupVersion,
      limits: { rollupManaLimit: constants.rollupManaLimit },
      genesisArchiveRoot: identity.genesisArchiveRoot,
      txRules: (terms, state) =>
        blockChecks(mempool.contexts, terms, {
          state,
          anchorHash: (hash) => mempool.pool.summary(hash)?.anchorHash,
        }),
      sync: {
        syncedSlot: () => syncedSlot(chain, chain.state.processed(), constants),
        poke: () => synchronizer.poke(),
        onBlocksAdded: (listener) => synchronizer.on("blocksAdded", listener),
        addProposedBlock: (block) => synchronizer.addProposedBlock(block),
      },
      messages: (number) => messagesOfCheckpoint(chain.messages, number),
      hatchOpen: async (slot) => (await committees.at(slot)).escapeHatchOpen,
      txs: options.txs,
      now: clock.now,
    },
    { reexecutes: () => options.reexecutes, stores: options.stores },
  );
  return {
    async process(proposal, from) {
      const { header, signedTxs } = proposal;
      const facts = { slot: blockProposalSlot(proposal), block: headerBlockNumber(header), peer: from };
      const hashes = proposalTxHashes(proposal);
      try {
        const verdict = await check.check({
          proposal,
          txHashes: hashes,
          peer: from,
          embedded: signedTxs?.txs ?? [],
          brokenRule: () => options.brokenRule(proposal),
        });
        if (verdict.valid) logger.info({ ...facts, txs: hashes.length }, "block {block} was proposed in slot {slot}");
        else {
          const archive = toHex(proposal.archiveRoot);
          logger.warn(
            { ...facts, archive, fault: verdict.fault, reason: verdict.reason },
            "the block {block} proposed in slot {slot} is not taken: {reason}",
          );
        }
      } catch (error) {
        logger.error({ ...facts, error }, "the block {block} proposed in slot {slot} could not be checked");
      }
    },
    stop: () => check.stop(),
  };
}
