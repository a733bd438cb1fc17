import type { CheckpointProposalCheck } from "../checkpoints/proposals/checkpoint-proposal-check.ts";
import type { BackgroundUploads } from "../l1/blobs/background-uploads.ts";
import type { SlotCommittees } from "../l1/committee/slot-committees.ts";
import { outsideSlotWindow, type SlotTimes } from "../p2p/gossip/topics/slot-window.ts";
import { toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { type CheckpointProposal, checkpointSigner } from "../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../protocol/consensus/recover.ts";
import type { DutyTimes } from "../telemetry/duty-times.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { OwnAttestations } from "./own-attestations.ts";

export interface CheckpointAttesterParts {
  check: Pick<CheckpointProposalCheck, "check" | "prepare">;
  attestations: Pick<OwnAttestations, "members" | "attest">;
  committees: Pick<SlotCommittees, "at">;
  /** All attesters of this node; lower-case 0x text. */
  ownAddresses(): readonly string[];
  /** Checks every proposal, and neither signs nor sends anything. */
  observer: boolean;
  /** Stores the blobs of every valid checkpoint; undefined: nowhere. */
  uploads: Pick<BackgroundUploads, "add"> | undefined;
  times: SlotTimes;
  dutyTimes: Pick<DutyTimes, "done" | "missed">;
  rollup: MessageRollup;
  recover: RecoverSigner;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

const ATTEST = { duty: "attest" } as const;

/** What became of a proposal. */
export type AttestingOutcome =
  | { kind: "attested"; members: number }
  | { kind: "refused"; fault: string }
  | { kind: "escape hatch" | "own proposal" | "not a member" | "observed" | "late" | "not signed" | "failed" };

/**
 * Attests to checkpoint proposals that gossip accepted (docs/protocol/11-consensus.md#112-attestations).
 */
export class CheckpointAttester {
  /** Proposals since the start by what became of them. */
  readonly outcomes = new Map<AttestingOutcome["kind"], number>();
  readonly #parts: CheckpointAttesterParts;
  #attested = 0;

  constructor(parts: CheckpointAttesterParts) {
    this.#parts = parts;
  }

  /**
   * Does what can be done before the checkpoint proposal of a slot arrives; called when a block of the slot was stored.
   * Never rejects.
   */
  async prepare(slot: number): Promise<void> {
    const { check, attestations, logger } = this.#parts;
    try {
      if ((await attestations.members(slot)).length > 0) await check.prepare(slot);
    } catch (error) {
      logger.debug({ slot, err: error }, "the attestation in slot {slot} could not be prepared");
    }
  }

  /**
   * `from` is a peer id as text, `arrived` the time of arrival by performance.now(). Never rejects: a failure of this
   * node is logged. The log has the milliseconds of each step: from the arrival to the check (the last block's
   * execution among others), of the check and of signing, and all together.
   */
  async handle(proposal: CheckpointProposal, from: string, arrived: number): Promise<AttestingOutcome> {
    const outcome = await this.#handled(proposal, from, arrived);
    this.outcomes.set(outcome.kind, (this.outcomes.get(outcome.kind) ?? 0) + 1);
    if (outcome.kind === "attested") this.#attested += outcome.members;
    return outcome;
  }

  /** Attestations made since the start. */
  get attested(): number {
    return this.#attested;
  }

  async #handled(proposal: CheckpointProposal, from: string, arrived: number): Promise<AttestingOutcome> {
    const slot = checkpointSlot(proposal.header);
    const facts = { slot, archive: toHex(proposal.archive), peer: from };
    try {
      return await this.#handle(proposal, facts, arrived);
    } catch (error) {
      const { logger, dutyTimes } = this.#parts;
      logger.error({ ...facts, err: error }, "a checkpoint proposal of slot {slot} could not be checked");
      dutyTimes.missed(slot, "attest", `the checkpoint proposal could not be checked: ${(error as Error).message}`);
      return { kind: "failed" };
    }
  }

  async #handle(
    proposal: CheckpointProposal,
    facts: { slot: number; archive: string; peer: string },
    arrived: number,
  ): Promise<AttestingOutcome> {
    const { check, attestations, committees, ownAddresses, observer, uploads, rollup, recover, dutyTimes, logger } =
      this.#parts;
    const { slot } = facts;
    const { escapeHatchOpen } = await committees.at(slot);
    if (escapeHatchOpen) return { kind: "escape hatch" };
    const sender = checkpointSigner(proposal, recover, rollup);
    if (sender !== undefined && ownAddresses().includes(toHex(sender))) return { kind: "own proposal" };
    const members = await attestations.members(slot);
    if (members.length === 0 && !observer && uploads === undefined) return { kind: "not a member" };

    const began = performance.now();
    dutyTimes.done(slot, "received", { ...ATTEST, agoMs: began - arrived });
    const verdict = await check.check(proposal);
    dutyTimes.done(slot, "checked", ATTEST);
    const spent = { beforeMs: Math.round(began - arrived), checkMs: since(began) };
    if (!verdict.valid) {
      const { fault, reason } = verdict;
      logger.warn({ ...facts, fault, reason, ...spent }, "refused the checkpoint proposal of slot {slot}: {fault}");
      if (members.length > 0) dutyTimes.missed(slot, "attest", `the checkpoint proposal was refused: ${fault}`);
      return { kind: "refused", fault };
    }
    const { checkpointNumber, blobs, commitments, versionedBlobHashes } = verdict.checkpoint;
    const outcome = await this.#act(proposal, members, { ...facts, checkpoint: checkpointNumber, ...spent }, arrived);
    // Behind the attestation, which has a deadline.
    uploads?.add(blobs.map((data, i) => ({ data, commitment: commitments[i], versionedHash: versionedBlobHashes[i] })));
    return outcome;
  }

  /** Attests to a valid proposal, if this node may. */
  async #act(
    proposal: CheckpointProposal,
    members: readonly string[],
    facts: { slot: number; checkpoint: number },
    arrived: number,
  ): Promise<AttestingOutcome> {
    const { attestations, observer, times, dutyTimes, now, logger } = this.#parts;
    if (observer) {
      logger.info(facts, "the checkpoint proposal of slot {slot} is valid");
      return { kind: "observed" };
    }
    if (members.length === 0) return { kind: "not a member" };
    if (outsideSlotWindow(facts.slot, now(), times) !== undefined) {
      logger.warn(facts, "the checkpoint proposal of slot {slot} was checked too late");
      dutyTimes.missed(facts.slot, "attest", "the checkpoint proposal was checked after its slot");
      return { kind: "late" };
    }
    const signing = performance.now();
    const attested = await attestations.attest(proposal, members);
    if (attested === 0) return { kind: "not signed" };
    const durations = { signMs: since(signing), ms: since(arrived) };
    logger.info(
      { ...facts, attested, ...durations },
      "attested to checkpoint {checkpoint} of slot {slot} with {attested:key} in {ms} ms",
    );
    return { kind: "attested", members: attested };
  }
}

/** Whole milliseconds since a time of performance.now(). */
function since(from: number): number {
  return Math.round(performance.now() - from);
}
