import type { ProposalVerdict } from "../checkpoints/proposals/proposal-verdict.ts";
import type { Equivocations } from "../mempool/attestations/equivocations.ts";
import type { ConsensusEvents, ConsensusListener } from "../p2p/proposals/consensus-events.ts";
import { type BlockProposal, blockProposalSlot } from "../protocol/consensus/block-proposal.ts";
import type { CheckpointProposal } from "../protocol/consensus/checkpoint-proposal.ts";
import type { WireSignature } from "../protocol/consensus/wire-signature.ts";
import type { ChallengeSigner } from "./challenge-signer.ts";
import type { CheckpointAttester } from "./checkpoint-attester.ts";
import type { OffenseReports } from "./offense-reports.ts";
import type { OwnAttestations } from "./own-attestations.ts";
import type { ValidatorSettings } from "./settings.ts";

interface CommitteeDutiesParts {
  attester: Pick<CheckpointAttester, "prepare" | "handle">;
  attestations: Pick<OwnAttestations, "members">;
  challenges: Pick<ChallengeSigner, "sign">;
  /** Where offenses go; undefined without a slasher. */
  reports: OffenseReports | undefined;
  /** Whether the blocks of every slot are executed: by an observer, or where blobs of all checkpoints are stored. */
  executesAll: boolean;
  /** Read for each slot. */
  settings: Readonly<Pick<ValidatorSettings, "reexecutes">>;
}

/**
 * What follows what between the proposals of a slot and this node's attestations. Per slot:
 *
 *     block proposal       executes: has its blocks executed, if anybody here needs that
 *          |               blockChecked: reports an invalid block, prepares the attestation after a valid one
 *     checkpoint proposal  checkpointProposed: checks it as a whole, then every own member of the committee signs
 *          |
 *     attestations         published by OwnAttestations, and collected by CommitteeAttestations if this node proposed
 *
 * A second proposal or attestation for one position is reported whenever it arrives.
 */
export class CommitteeDuties implements ConsensusListener {
  readonly #parts: CommitteeDutiesParts;

  constructor(parts: CommitteeDutiesParts) {
    this.#parts = parts;
  }

  /** Takes up the duties. Returns a function that ends that. */
  listen(events: ConsensusEvents, equivocations: Equivocations): () => void {
    const { reports } = this.#parts;
    const ends = [events.listen(this)];
    if (reports !== undefined) {
      ends.push(
        equivocations.proposals.add((duplicate) => reports.duplicateProposal(duplicate)),
        equivocations.attestations.add((duplicate) => reports.duplicateAttestation(duplicate)),
      );
    }
    return () => {
      for (const end of ends) end();
    };
  }

  async executes(slot: number): Promise<boolean> {
    const { executesAll, settings, reports, attestations } = this.#parts;
    if (executesAll) return true;
    if (!settings.reexecutes) return false;
    return reports?.reportsBlocks === true || (await attestations.members(slot)).length > 0;
  }

  blockChecked(proposal: BlockProposal, verdict: ProposalVerdict): void {
    const { reports, attester } = this.#parts;
    reports?.blockChecked(proposal, verdict);
    if (verdict.valid && verdict.block !== undefined) void attester.prepare(blockProposalSlot(proposal));
  }

  async checkpointProposed(proposal: CheckpointProposal, from: string, arrived: number): Promise<void> {
    await this.#parts.attester.handle(proposal, from, arrived);
  }

  signChallenge(payloadHash: Uint8Array): Promise<WireSignature | undefined> {
    return this.#parts.challenges.sign(payloadHash);
  }
}
