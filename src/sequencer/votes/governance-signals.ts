import { SIGNAL_CAST_TOPIC } from "../../l1/abi/governance-proposer.ts";
import { L1Error } from "../../l1/errors.ts";
import { type GovernanceProposer, signalCalldata } from "../../l1/governance/governance-proposer.ts";
import type { TypedData } from "../../l1/tx/signer.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PublishRequest } from "../publisher/types.ts";

interface GovernanceSignalParts {
  contract: Pick<
    GovernanceProposer,
    "address" | "hasCode" | "revertReason" | "roundOf" | "signalToSign" | "wasSubmitted"
  >;
  signer: VoteSigner;
  logger: Logger;
}

/** Signs votes with the attesters of this node (lower-case 0x text), one of each kind for each slot. */
export interface VoteSigner {
  /** Whether this node has the attester's key. */
  holds(attester: string): boolean;
  /** 65 bytes r, s, v. Rejects if the vote may not be signed, or when the signer fails. */
  sign(
    attester: string,
    vote: { kind: "GOVERNANCE_VOTE" | "SLASHING_VOTE"; slot: number },
    typed: TypedData,
    signal?: AbortSignal,
  ): Promise<Uint8Array>;
}

/** A slot's proposer, which signs the votes. */
export interface Voter {
  slot: number;
  /** Lower-case 0x text. */
  proposer: string;
  /** Address of the governance payload to signal for: 0x text; undefined or zero: none. */
  payload: string | undefined;
}

/** Creates a proposer's votes for a slot. */
export type VoteSource = (voter: Voter, signal: AbortSignal) => Promise<PublishRequest[]>;

const SIGNAL_GAS = 800_000n;
const SUBMITTED_ATTEMPTS = 3;
const ZERO = /^0x0*$/;

/**
 * Signals for a governance payload, at most one for each slot
 * (docs/protocol/08-building-and-checkpoints.md#823-governance-signals).
 */
export class GovernanceSignals {
  readonly #parts: GovernanceSignalParts;
  readonly #submitted = new Set<string>();
  #lastSlot = -1;

  constructor(parts: GovernanceSignalParts) {
    this.#parts = parts;
  }

  /**
   * The request to L1 for a slot; undefined when there is nothing to signal. Throws an L1Error, or if it cannot be
   * signed.
   */
  async request(voter: Voter, signal?: AbortSignal): Promise<PublishRequest | undefined> {
    const { contract, logger, signer } = this.#parts;
    const { slot, proposer } = voter;
    const payload = voter.payload?.toLowerCase();
    if (payload === undefined || ZERO.test(payload)) return undefined;
    const obstacle = signer.holds(proposer) ? await this.#obstacle(payload, slot) : "the proposer's key is not here";
    if (obstacle !== undefined) {
      logger.debug({ slot, payload, reason: obstacle }, "no governance signal for this slot");
      return undefined;
    }
    const vote = { kind: "GOVERNANCE_VOTE", slot } as const;
    const signature = await signer.sign(proposer, vote, contract.signalToSign(payload, slot), signal);
    const data = signalCalldata(payload, signature);
    const reason = await contract.revertReason(data, slot);
    if (reason !== undefined)
      logger.error({ slot, payload, reason }, "the simulation of a governance signal failed, sending it anyway");
    this.#lastSlot = slot;
    logger.info({ slot, payload, proposer }, "signalling for a governance payload");
    return {
      action: "governance-signal",
      to: contract.address,
      data,
      gasLimit: SIGNAL_GAS,
      lastValidSlot: slot,
      proof: { address: contract.address, topic: SIGNAL_CAST_TOPIC },
    };
  }

  /** Why this node does not signal in the slot. */
  async #obstacle(payload: string, slot: number): Promise<string | undefined> {
    const { contract } = this.#parts;
    if (this.#lastSlot >= slot) return "this node signalled for the slot";
    const { quorumReached, lastSignalSlot, round } = await contract.roundOf(slot);
    if (quorumReached) return `round ${round} has its quorum`;
    if (lastSignalSlot >= BigInt(slot)) return `the slot has its signal in round ${round}`;
    if (!(await contract.hasCode(payload))) return "the payload has no code";
    return (await this.#wasSubmitted(payload)) ? "the payload was submitted" : undefined;
  }

  async #wasSubmitted(payload: string): Promise<boolean> {
    if (this.#submitted.has(payload)) return true;
    for (let attempt = 1; ; attempt++) {
      try {
        const submitted = await this.#parts.contract.wasSubmitted(payload);
        if (submitted) this.#submitted.add(payload);
        return submitted;
      } catch (error) {
        if (!(error instanceof L1Error) || attempt === SUBMITTED_ATTEMPTS) throw error;
      }
    }
  }
}
