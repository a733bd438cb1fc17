import { equal } from "../../../protocol/bytes.ts";
import { checkpointSlot } from "../../../protocol/checkpoint-header.ts";
import { type BlockProposal, blockProposalSlot, blockSigner } from "../../../protocol/consensus/block-proposal.ts";
import {
  type CheckpointProposal,
  checkpointSigner,
  decodeCheckpointProposal,
} from "../../../protocol/consensus/checkpoint-proposal.ts";
import type { GossipOutcome, TopicValidator } from "../topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";
import {
  admitBlock,
  checkProposer,
  checkSignedTxs,
  checkTxCount,
  ignored,
  NO_SIGNATURE,
  rejected,
} from "./proposal-rules.ts";
import { outsideSlotWindow } from "./slot-window.ts";

/** Rules for messages of topic checkpoint_proposal (docs/protocol/10-peers.md#1011-receive-rules). */
export function checkpointProposalValidator(context: ConsensusContext): TopicValidator {
  return async (payload, from) => {
    const arrived = performance.now();
    const { lastBlock, ...proposal } = decodeCheckpointProposal(payload, context.rollup);
    const slot = checkpointSlot(proposal.header);
    const early =
      outsideSlotWindow(slot, context.now(), context.times) ??
      (lastBlock === undefined ? undefined : checkTxCount(context, lastBlock));
    if (early !== undefined) return early;
    const sender = checkpointSigner(proposal, context.recover, context.rollup);
    if (sender === undefined) return NO_SIGNATURE;
    const verdict =
      (await checkProposer(context, slot, sender)) ??
      (lastBlock === undefined ? undefined : await checkLastBlock(context, lastBlock, sender));
    if (verdict !== undefined) return verdict;
    let newBlock: BlockProposal | undefined;
    if (lastBlock !== undefined) {
      const { equivocated, ...block } = await admitLastBlock(context, lastBlock, sender);
      if (block.result === "reject") return block;
      if (equivocated) return { result: "reject", reason: "its last block is one of several for its position" };
      if (block.result === "accept") newBlock = lastBlock;
    }
    const { isFirst, ...outcome } = admitCheckpoint(context, proposal, sender);
    const process = async () => {
      if (newBlock !== undefined) await context.processBlock(newBlock, from);
      if (isFirst) await context.processCheckpoint(proposal, from, arrived);
    };
    return newBlock === undefined && !isFirst ? outcome : { ...outcome, process };
  };
}

/** The last block is the sender's, and its txs keep the rules. */
async function checkLastBlock(
  context: ConsensusContext,
  lastBlock: BlockProposal,
  sender: Uint8Array,
): Promise<GossipOutcome | undefined> {
  const blockSender = blockSigner(lastBlock, context.recover, context.rollup);
  if (blockSender === undefined || !equal(blockSender, sender)) return NO_SIGNATURE;
  return checkSignedTxs(context, lastBlock, sender);
}

/** The last block as a block proposal, whose header may name another slot. */
async function admitLastBlock(
  context: ConsensusContext,
  lastBlock: BlockProposal,
  sender: Uint8Array,
): Promise<GossipOutcome & { equivocated: boolean }> {
  const slot = blockProposalSlot(lastBlock);
  const verdict = outsideSlotWindow(slot, context.now(), context.times) ?? (await checkProposer(context, slot, sender));
  return verdict === undefined ? admitBlock(context, lastBlock, sender) : { ...verdict, equivocated: false };
}

function admitCheckpoint(
  { pool, equivocations }: Pick<ConsensusContext, "pool" | "equivocations">,
  proposal: CheckpointProposal,
  proposer: Uint8Array,
): GossipOutcome & { isFirst: boolean } {
  const slot = checkpointSlot(proposal.header);
  const { result, count } = pool.addCheckpointProposal(proposal);
  if (result === "exists") return { ...ignored("the checkpoint proposal is known"), isFirst: false };
  if (result !== "added")
    return { ...rejected("high", `too many checkpoint proposals for slot ${slot}`), isFirst: false };
  if (count === 2) equivocations.proposals.emit({ slot, proposer, kind: "checkpoint" });
  return { result: "accept", isFirst: count === 1 };
}
