import type { PublishRequest } from "./publisher/types.ts";
import type { CheckpointPublisher, SequencerParts } from "./sequencer-parts.ts";
import type { Voter } from "./votes/governance-signals.ts";

interface RequestingParts extends Pick<SequencerParts, "logger" | "votes"> {
  publisher: Pick<CheckpointPublisher, "publishRequests">;
}

interface RequestsOfSlot {
  slot: number;
  /** Attester (lower-case 0x text) whose publishers send the requests. */
  proposer: string;
  /** Undefined where nobody's votes count. */
  voter: Voter | undefined;
  /** Requests besides votes. */
  others?: readonly PublishRequest[];
}

/**
 * What a proposer wants of L1 in one slot besides its checkpoint: its votes, created while the checkpoint is built, and
 * the removal of a bad checkpoint. They are sent with the checkpoint, or alone when there is none
 * (docs/protocol/08-building-and-checkpoints.md#823-governance-signals). Failures of votes are logged only, because no
 * checkpoint depends on them.
 */
export class SlotRequests {
  readonly #parts: RequestingParts;
  readonly #of: RequestsOfSlot;
  readonly #votes: Promise<PublishRequest[]>;
  #taken = false;

  constructor(parts: RequestingParts, of: RequestsOfSlot, signal: AbortSignal) {
    this.#parts = parts;
    this.#of = of;
    const { slot, voter } = of;
    const votes = voter === undefined ? Promise.resolve([]) : parts.votes(voter, signal);
    this.#votes = votes.catch((error: unknown) => {
      if (!signal.aborted) parts.logger.warn({ slot, err: error }, "the votes of a slot cannot be prepared");
      return [];
    });
  }

  /** Returns the requests, to be sent in the transaction of a checkpoint. */
  async take(): Promise<PublishRequest[]> {
    this.#taken = true;
    return [...(this.#of.others ?? []), ...(await this.#votes)];
  }

  /** Sends the requests alone if no checkpoint took them. Never rejects. */
  async sendRest(signal: AbortSignal): Promise<void> {
    const requests = this.#taken ? [] : await this.take();
    if (requests.length === 0 || signal.aborted) return;
    const { slot, proposer: attester } = this.#of;
    const { publisher, logger } = this.#parts;
    const actions = requests.map(({ action }) => action);
    try {
      await publisher.publishRequests({ slot, attester, requests });
    } catch (error) {
      if (!signal.aborted) logger.warn({ slot, actions, err: error }, "requests to L1 cannot be sent");
    }
  }
}
