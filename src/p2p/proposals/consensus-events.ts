import type { ProposalVerdict } from "../../checkpoints/proposals/proposal-verdict.ts";
import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import type { CheckpointProposal } from "../../protocol/consensus/checkpoint-proposal.ts";
import type { WireSignature } from "../../protocol/consensus/wire-signature.ts";
import type { ConsensusContext } from "../gossip/topics/consensus-context.ts";
import type { BlockProposalHandler } from "./block-proposal-handler.ts";

/** Who has duties in consensus: what P2P tells it, and asks it. */
export interface ConsensusListener {
  /** Whether the blocks of a slot are to be executed. */
  executes(slot: number): Promise<boolean>;
  /** Called with each block proposal of another node once it was checked. */
  blockChecked(proposal: BlockProposal, verdict: ProposalVerdict): void;
  /**
   * Called with a checkpoint proposal that gossip accepted, once its last block was processed. `from` is a peer id as
   * text, `arrived` the time of arrival by performance.now().
   */
  checkpointProposed(proposal: CheckpointProposal, from: string, arrived: number): Promise<unknown>;
  /** Signs a peer's authentication challenge; undefined without a registered attester. */
  signChallenge(payloadHash: Uint8Array): Promise<WireSignature | undefined>;
}

/** What gossip brought of consensus, for one listener. Without one nothing is done about it. */
export class ConsensusEvents {
  #listener: ConsensusListener | undefined;

  /** Returns a function that ends it. Throws while another one listens: two would sign for the same slot. */
  listen(listener: ConsensusListener): () => void {
    if (this.#listener !== undefined) throw new Error("consensus events have a listener already");
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  async executes(slot: number): Promise<boolean> {
    return (await this.#listener?.executes(slot)) ?? false;
  }

  async signChallenge(payloadHash: Uint8Array): Promise<WireSignature | undefined> {
    return this.#listener?.signChallenge(payloadHash);
  }

  /**
   * Processes proposals and tells the listener. `skips` says whether proposals of others are only forwarded, not
   * processed.
   */
  processing(
    blocks: Pick<BlockProposalHandler, "handle">,
    skips: () => boolean,
  ): Pick<ConsensusContext, "processBlock" | "processCheckpoint"> {
    return {
      processBlock: async (proposal, from) => {
        if (skips()) return;
        const verdict = await blocks.handle(proposal, from);
        if (verdict !== undefined) this.#listener?.blockChecked(proposal, verdict);
      },
      processCheckpoint: async (proposal, from, arrived) => {
        if (!skips()) await this.#listener?.checkpointProposed(proposal, from, arrived);
      },
    };
  }
}
