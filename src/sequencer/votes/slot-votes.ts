import type { PublishRequest } from "../publisher/types.ts";
import type { CheckpointPublisher, SequencerParts } from "../sequencer-parts.ts";
import type { Voter } from "./governance-signals.ts";

interface VotingParts extends Pick<SequencerParts, "logger" | "votes"> {
  publisher: Pick<CheckpointPublisher, "publishVotes">;
}

/**
 * The votes of one slot, created while the checkpoint is built. They are sent with it, or alone when there is none
 * (docs/protocol/08-building-and-checkpoints.md#823-governance-signals). Failures are logged only, because no
 * checkpoint depends on votes.
 */
export class SlotVotes {
  readonly #parts: VotingParts;
  readonly #voter: Voter;
  readonly #requests: Promise<PublishRequest[]>;
  #taken = false;

  constructor(parts: VotingParts, voter: Voter, signal: AbortSignal) {
    this.#parts = parts;
    this.#voter = voter;
    this.#requests = parts.votes(voter, signal).catch((error: unknown) => {
      if (!signal.aborted) parts.logger.warn({ slot: voter.slot, error }, "votes for the slot cannot be made");
      return [];
    });
  }

  /** Returns the votes, to be sent in the transaction of a checkpoint. */
  take(): Promise<PublishRequest[]> {
    this.#taken = true;
    return this.#requests;
  }

  /** Sends the votes alone if no checkpoint took them. Never rejects. */
  async sendRest(signal: AbortSignal): Promise<void> {
    const requests = this.#taken ? [] : await this.take();
    if (requests.length === 0 || signal.aborted) return;
    const { slot, proposer: attester } = this.#voter;
    const { publisher, logger } = this.#parts;
    try {
      await publisher.publishVotes({ slot, attester, requests });
    } catch (error) {
      if (!signal.aborted) logger.warn({ slot, error }, "votes for the slot cannot be sent");
    }
  }
}
