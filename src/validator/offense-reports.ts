import { PROPOSER_FAULTS, type ProposalVerdict } from "../checkpoints/proposals/proposal-verdict.ts";
import type { DuplicateAttestation, DuplicateProposal } from "../mempool/attestations/equivocations.ts";
import { type BlockProposal, blockProposalSlot, blockSigner } from "../protocol/consensus/block-proposal.ts";
import type { MessageRollup } from "../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../protocol/consensus/recover.ts";
import { OFFENSE_TYPES, type OffenseType, type ReportOffenses } from "../protocol/slashing/offense.ts";

/** In the staking asset's smallest unit; they may change while the node runs. */
export interface OffensePenalties {
  broadcastedInvalidBlockPenalty: bigint;
  duplicateProposalPenalty: bigint;
  duplicateAttestationPenalty: bigint;
}

/** Reports what a validator sees others do (docs/protocol/12-slashing.md). */
export class OffenseReports {
  readonly #report: ReportOffenses;
  readonly #penalties: Readonly<OffensePenalties>;
  readonly #recover: RecoverSigner;
  readonly #rollup: MessageRollup;

  constructor(
    report: ReportOffenses,
    penalties: Readonly<OffensePenalties>,
    recover: RecoverSigner,
    rollup: MessageRollup,
  ) {
    this.#report = report;
    this.#penalties = penalties;
    this.#recover = recover;
    this.#rollup = rollup;
  }

  /** Whether a block that comes out otherwise than proposed has a penalty at present. */
  get reportsBlocks(): boolean {
    return this.#penalties.broadcastedInvalidBlockPenalty > 0n;
  }

  /** A block that was executed and came out otherwise, unless the penalty is 0. Anything else is no offense. */
  blockChecked(proposal: BlockProposal, verdict: ProposalVerdict): void {
    const amount = this.#penalties.broadcastedInvalidBlockPenalty;
    if (verdict.valid || !PROPOSER_FAULTS.has(verdict.fault) || amount === 0n) return;
    const proposer = blockSigner(proposal, this.#recover, this.#rollup);
    if (proposer === undefined) return;
    this.#one(proposer, OFFENSE_TYPES.broadcastedInvalidBlockProposal, amount, blockProposalSlot(proposal));
  }

  /** Recorded also without a penalty. */
  duplicateProposal({ slot, proposer }: DuplicateProposal): void {
    this.#one(proposer, OFFENSE_TYPES.duplicateProposal, this.#penalties.duplicateProposalPenalty, slot);
  }

  /** Recorded also without a penalty. */
  duplicateAttestation({ slot, attester }: DuplicateAttestation): void {
    this.#one(attester, OFFENSE_TYPES.duplicateAttestation, this.#penalties.duplicateAttestationPenalty, slot);
  }

  #one(validator: Uint8Array, offenseType: OffenseType, amount: bigint, slot: number): void {
    this.#report([{ validator, amount, offenseType, epochOrSlot: BigInt(slot) }]);
  }
}
