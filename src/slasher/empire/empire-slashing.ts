import type { EmpireProposer } from "../../l1/slashing/empire-proposer.ts";
import type { CreatedPayload, PayloadSlash, SlashFactory } from "../../l1/slashing/slash-factory.ts";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { SlashAction } from "../../protocol/slashing/action.ts";
import { OFFENSE_TYPES, type Offense, type OffenseType } from "../../protocol/slashing/offense.ts";
import type { L1Constants } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { OffenseStore } from "../offenses/offense-store.ts";
import { roundOfSlot, votingSlot } from "../offenses/rounds.ts";
import type { SlasherSettings } from "../offenses/settings.ts";
import { type EligibilityTerms, isEligible } from "./eligibility.ts";
import { disagreement, idealPayload, payloadScore } from "./payloads.ts";

interface EmpireParts {
  store: OffenseStore;
  /** Undefined if its address is unknown; then no payloads are created or judged. */
  factory: SlashFactory | undefined;
  /** Read for each vote. */
  settings: Readonly<SlasherSettings>;
  constants: Pick<L1Constants, "epochDuration" | "ethereumSlotDuration" | "proofSubmissionEpochs" | "slotDuration">;
  /** Validators that are never voted on, besides those of the settings. Lower-case 0x text. */
  protectedValidators(): readonly string[];
  logger: Logger;
}

/** A payload and its votes in a round. */
export interface VotedPayload extends CreatedPayload {
  votes: number;
  round: number;
}

interface Candidate {
  address: string;
  slashes: readonly PayloadSlash[];
  votes: number;
  /** Whether the factory has to create it first. */
  isNew: boolean;
}

/** The empire model: proposers signal for payloads that anybody may create (docs/protocol/12-slashing.md). */
export class EmpireSlashing {
  readonly #parts: EmpireParts;

  constructor(parts: EmpireParts) {
    this.#parts = parts;
  }

  /** Throws an L1Error. */
  async actionsFor(proposer: EmpireProposer, slot: number): Promise<SlashAction[]> {
    const { settings } = this.#parts;
    const payloads = await this.payloads(proposer, slot);
    const execution = await this.#execution(proposer, slot, payloads);
    const vote =
      settings.overridePayload === undefined
        ? await this.#vote(proposer, slot, payloads)
        : await this.#overriding(proposer, slot, settings.overridePayload);
    return execution === undefined ? vote : [...vote, execution];
  }

  /** Payloads that can still be voted for, with their votes in the round of a slot. Throws an L1Error. */
  async payloads(proposer: EmpireProposer, slot: number): Promise<VotedPayload[]> {
    const { factory, constants } = this.#parts;
    if (factory === undefined) return [];
    const { roundSize, lifetimeInRounds } = proposer.rules;
    const seconds = (lifetimeInRounds + 1) * roundSize * constants.slotDuration;
    const created = await factory.created(Math.ceil(seconds / constants.ethereumSlotDuration));
    const round = roundOfSlot(slot, proposer.rules);
    return Promise.all(
      created.map(async (payload) => ({ ...payload, round, votes: await proposer.votes(round, payload.address) })),
    );
  }

  /** The offenses that a payload may slash for in a round. */
  offensesOf(proposer: EmpireProposer, round: number): Offense[] {
    const terms = this.#terms(proposer);
    return [...this.#parts.store.range()].filter((offense) => !offense.slashed && isEligible(offense, round, terms));
  }

  async #overriding(proposer: EmpireProposer, slot: number, payload: string): Promise<SlashAction[]> {
    const votes = await proposer.votes(roundOfSlot(slot, proposer.rules), payload);
    return votes >= proposer.rules.quorum ? [] : [signal(proposer, slot, payload)];
  }

  async #vote(proposer: EmpireProposer, slot: number, payloads: readonly VotedPayload[]): Promise<SlashAction[]> {
    const { rules } = proposer;
    const round = roundOfSlot(slot, rules);
    if (payloads.some(({ votes }) => votes >= rules.quorum)) return [];
    const accused = this.#accused(proposer, round);
    const slotsLeft = rules.roundSize - votingSlot(slot, rules);
    const candidates = payloads
      .filter(({ votes }) => rules.quorum - votes <= slotsLeft)
      .filter((payload) => this.#agrees(payload, accused))
      .map((payload): Candidate => ({ ...payload, isNew: false }));
    const ideal = await this.#ideal(proposer, slot, accused);
    const all = ideal === undefined ? candidates : [...candidates, ideal];
    const best = all.reduce<Candidate | undefined>(
      (a, b) => (a !== undefined && score(a) >= score(b) ? a : b),
      undefined,
    );
    if (best === undefined || score(best) === 0n) return [];
    this.#parts.logger.info(
      { slot, round, payload: best.address, votes: best.votes, isNew: best.isNew },
      "signalling for a slash payload in round {round}",
    );
    const vote = signal(proposer, slot, best.address);
    const { factory } = this.#parts;
    if (!best.isNew || factory === undefined) return [vote];
    return [createPayload(factory.address, slot, best.slashes), vote];
  }

  #agrees({ address, slashes }: CreatedPayload, accused: readonly Offense[]): boolean {
    const { settings, logger } = this.#parts;
    const reason = disagreement(slashes, accused, settings);
    if (reason !== undefined)
      logger.debug({ payload: address, reason }, "this node does not agree with a slash payload");
    return reason === undefined;
  }

  /** The payload of this node's own offenses, early in the round only, so that others have time to vote for it. */
  async #ideal(proposer: EmpireProposer, slot: number, accused: readonly Offense[]): Promise<Candidate | undefined> {
    const { factory, settings } = this.#parts;
    const { quorum, roundSize } = proposer.rules;
    const last = Math.floor((roundSize - quorum) / 2);
    if (factory === undefined || accused.length === 0 || votingSlot(slot, proposer.rules) > last) return undefined;
    const slashes = idealPayload(accused, settings.maxPayloadSize);
    const { address, deployed } = await factory.payloadOf(slashes);
    return deployed ? undefined : { address, slashes, votes: 0, isNew: true };
  }

  /** Eligible offenses of validators that may be voted on, and those that are always slashed. */
  #accused(proposer: EmpireProposer, round: number): Offense[] {
    const { settings, protectedValidators, constants } = this.#parts;
    const never = new Set([...settings.validatorsNever, ...protectedValidators()]);
    // The newest epoch that is eligible in the round.
    const epoch = Math.ceil((round * proposer.rules.roundSize) / constants.epochDuration) - 2;
    const always = settings.validatorsAlways.map((address) => ({
      validator: fromHex(address),
      amount: settings.unknownPenalty,
      offenseType: OFFENSE_TYPES.unknown,
      epochOrSlot: BigInt(epoch),
    }));
    return [...this.offensesOf(proposer, round), ...(epoch < 0 ? [] : always)].filter(
      ({ validator }) => !never.has(toHex(validator)),
    );
  }

  /** The oldest round whose winner can be executed. Marks the offenses of executed ones as slashed. */
  async #execution(
    proposer: EmpireProposer,
    slot: number,
    payloads: readonly CreatedPayload[],
  ): Promise<SlashAction | undefined> {
    const { settings } = this.#parts;
    const { lifetimeInRounds, executionDelayInRounds, quorum } = proposer.rules;
    const current = roundOfSlot(slot, proposer.rules);
    const newest = current - executionDelayInRounds - 1;
    const oldest = Math.max(current - lifetimeInRounds, newest - settings.executeRoundsLookBack, 0);
    if (newest < oldest) return undefined;
    const enabled = await proposer.slasher.isSlashingEnabled();
    for (let round = oldest; round <= newest; round++) {
      const { executed, leader } = await proposer.round(round);
      if (leader === undefined) continue;
      if (executed) {
        this.#markSlashed(payloads.find(({ address }) => address === leader));
        continue;
      }
      if (!enabled || (await proposer.votes(round, leader)) < quorum || (await proposer.slasher.isVetoed(leader)))
        continue;
      this.#parts.logger.info({ slot, round, payload: leader }, "round {round} can be executed");
      return { kind: "execute-empire-payload", contract: proposer.address, slot, round: BigInt(round) };
    }
    return undefined;
  }

  #markSlashed(payload: CreatedPayload | undefined): void {
    if (payload === undefined) return;
    this.#parts.store.markSlashed(
      payload.slashes.flatMap(({ validator, offenses }) =>
        offenses.map(({ offenseType, epochOrSlot }) => ({
          validator: fromHex(validator),
          offenseType: offenseType as OffenseType,
          epochOrSlot,
        })),
      ),
    );
  }

  #terms({ rules }: EmpireProposer): EligibilityTerms {
    const { constants, settings } = this.#parts;
    const { epochDuration, proofSubmissionEpochs } = constants;
    const { offenseExpirationRounds: expirationRounds } = settings;
    return { roundSize: rules.roundSize, epochDuration, proofSubmissionEpochs, expirationRounds };
  }
}

const score = ({ slashes, votes }: Candidate): bigint => payloadScore(slashes, votes);

function signal({ address }: EmpireProposer, slot: number, payload: string): SlashAction {
  return { kind: "empire-slashing-signal", contract: address, slot, payload };
}

function createPayload(factory: string, slot: number, slashes: readonly PayloadSlash[]): SlashAction {
  return {
    kind: "create-empire-payload",
    factory,
    slot,
    validators: slashes.map(({ validator }) => validator),
    amounts: slashes.map(({ amount }) => amount),
    offenses: slashes.map(({ offenses }) => offenses),
  };
}
