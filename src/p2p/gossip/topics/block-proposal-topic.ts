import { blockProposalSlot, blockSigner, decodeBlockProposal } from "../../../protocol/consensus/block-proposal.ts";
import type { TopicValidator } from "../topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";
import { admitBlock, checkProposer, checkSignedTxs, checkTxCount, NO_SIGNATURE } from "./proposal-rules.ts";
import { outsideSlotWindow } from "./slot-window.ts";

/** Rules for messages of topic block_proposal (docs/protocol/10-peers.md#1011-receive-rules). */
export function blockProposalValidator(context: ConsensusContext): TopicValidator {
  return async (payload, from) => {
    const proposal = decodeBlockProposal(payload, context.rollup);
    const slot = blockProposalSlot(proposal);
    const early = outsideSlotWindow(slot, context.now(), context.times) ?? checkTxCount(context, proposal);
    if (early !== undefined) return early;
    const sender = blockSigner(proposal, context.recover, context.rollup);
    if (sender === undefined) return NO_SIGNATURE;
    const verdict = (await checkProposer(context, slot, sender)) ?? (await checkSignedTxs(context, proposal, sender));
    if (verdict !== undefined) return verdict;
    const { equivocated, ...outcome } = admitBlock(context, proposal, sender);
    if (outcome.result !== "accept" || equivocated) return outcome;
    return { ...outcome, process: () => context.processBlock(proposal, from) };
  };
}
