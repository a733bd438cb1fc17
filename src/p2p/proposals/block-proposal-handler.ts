import type { BlockProposalCheck } from "../../checkpoints/proposals/block-proposal-check.ts";
import type { ProposalVerdict } from "../../checkpoints/proposals/proposal-verdict.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import { toHex } from "../../protocol/bytes.ts";
import { type BlockProposal, blockProposalSlot, blockSigner } from "../../protocol/consensus/block-proposal.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { ConsensusContext } from "../gossip/topics/consensus-context.ts";
import { checkProposer, NO_SIGNATURE } from "../gossip/topics/proposal-rules.ts";
import { outsideSlotWindow } from "../gossip/topics/slot-window.ts";

interface BlockProposalHandlerParts extends Pick<ConsensusContext, "committees" | "times" | "now" | "rollup"> {
  check: Pick<BlockProposalCheck, "check">;
  txPool: Pick<TxPool, "protect">;
  dutyTimes: Pick<DutyTimes, "done">;
  logger: Logger;
}

/** Handles block proposals that gossip accepted (docs/protocol/10-peers.md#1016-block-proposals). */
export class BlockProposalHandler {
  readonly #parts: BlockProposalHandlerParts;

  constructor(parts: BlockProposalHandlerParts) {
    this.#parts = parts;
  }

  /**
   * Protects the named txs, then checks the block; `from` is a peer id as text. Never rejects: a failure of this node
   * is logged and gives undefined.
   */
  async handle(proposal: BlockProposal, from: string): Promise<ProposalVerdict | undefined> {
    const { check, txPool, dutyTimes, logger } = this.#parts;
    const slot = blockProposalSlot(proposal);
    const facts = { slot, index: proposal.indexWithinCheckpoint, archive: toHex(proposal.archiveRoot), peer: from };
    const began = performance.now();
    const duty = { duty: "execute block", index: facts.index } as const;
    dutyTimes.done(slot, "received", duty);
    try {
      const txHashes = items(proposal.txHashes);
      txPool.protect(txHashes, slot);
      const verdict = await check.check({
        proposal,
        txHashes,
        peer: from,
        embedded: proposal.signedTxs?.txs ?? [],
        brokenRule: () => this.#brokenRule(proposal),
        done: (step) => dutyTimes.done(slot, step, duty),
      });
      const ms = Math.round(performance.now() - began);
      if (!verdict.valid) {
        const { fault, reason } = verdict;
        logger.warn({ ...facts, fault, reason, ms }, "refused a proposed block of slot {slot}: {fault}");
      } else if (verdict.block === undefined) {
        logger.debug({ ...facts, txs: txHashes.length, ms }, "collected {txs:tx} of a proposed block of slot {slot}");
      } else {
        const { number } = verdict.block.record;
        logger.info(
          { ...facts, block: number, txs: txHashes.length, ms },
          "executed proposed block {block} of slot {slot} with {txs:tx} in {ms} ms",
        );
      }
      return verdict;
    } catch (error) {
      logger.warn({ ...facts, err: error }, "a proposed block of slot {slot} could not be checked");
      return undefined;
    }
  }

  /**
   * The rules of arrival whose answer may have changed since: the window of slots, and the slot's proposer. Rejects if
   * the committee cannot be read.
   */
  async #brokenRule(proposal: BlockProposal): Promise<string | undefined> {
    const { times, rollup, now } = this.#parts;
    const slot = blockProposalSlot(proposal);
    const late = outsideSlotWindow(slot, now(), times);
    if (late !== undefined) return late.reason ?? "its slot is over";
    const sender = blockSigner(proposal, await signerRecovery(), rollup);
    const broken = sender === undefined ? NO_SIGNATURE : await checkProposer(this.#parts, slot, sender);
    if (broken?.result === "ignore") throw new Error(broken.reason);
    return broken && (broken.reason ?? "its sender is not the proposer");
  }
}
