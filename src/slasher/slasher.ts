import type { SlashFactory } from "../l1/slashing/slash-factory.ts";
import type { SlashingContracts } from "../l1/slashing/slashing-contracts.ts";
import type { EpochCommittee } from "../l1/types.ts";
import type { SlashAction, SlashActions } from "../protocol/slashing/action.ts";
import type { Offense, ReportOffenses } from "../protocol/slashing/offense.ts";
import { type L1Constants, slotAt } from "../protocol/time.ts";
import type { Logger } from "../telemetry/logger.ts";
import { EmpireSlashing, type VotedPayload } from "./empire/empire-slashing.ts";
import { OffenseCollector } from "./offense-collector.ts";
import type { OffenseStore } from "./offenses/offense-store.ts";
import { roundOfSlot } from "./offenses/rounds.ts";
import type { SlasherSettings } from "./offenses/settings.ts";
import { TallySlashing } from "./tally/tally-slashing.ts";

interface SlasherParts {
  store: OffenseStore;
  contracts: SlashingContracts;
  factory: SlashFactory | undefined;
  settings: Readonly<SlasherSettings>;
  constants: L1Constants;
  /** The slot in which the rollup became canonical. */
  registrationSlot: number;
  committee(epoch: number): Promise<EpochCommittee>;
  /** Attesters of this node, lower-case 0x text. */
  ownValidators(): readonly string[];
  /** Unix time in milliseconds. */
  now(): number;
  logger: Logger;
}

/** The tally model has no payloads that could be listed. */
export class NoSlashPayloadsError extends Error {
  constructor() {
    super("Tally slashing model does not support slash payloads");
    this.name = "NoSlashPayloadsError";
  }
}

/**
 * Collects offenses and says what a proposer should do about them (docs/protocol/12-slashing.md). The rollup's slashing
 * contract decides the model; without one nothing is collected.
 */
export class Slasher implements SlashActions {
  readonly #parts: SlasherParts;
  readonly #collector: OffenseCollector;
  readonly #tally: TallySlashing;
  readonly #empire: EmpireSlashing;

  constructor(parts: SlasherParts) {
    const { settings, ownValidators } = parts;
    const protectedValidators = () => (settings.selfAllowed ? [] : ownValidators());
    this.#parts = parts;
    this.#collector = new OffenseCollector({ ...parts, rules: () => this.#collectionRules() });
    this.#tally = new TallySlashing({ ...parts, protectedValidators });
    this.#empire = new EmpireSlashing({ ...parts, protectedValidators });
  }

  /** Stores offenses; ignored while the rollup has no slasher. */
  readonly report: ReportOffenses = (offenses) => {
    if (this.#parts.contracts.latest !== undefined) this.#collector.report(offenses);
  };

  /** Reads the rollup's slashing contract and begins to watch for new rounds. Rejects with an L1Error. */
  async start(): Promise<void> {
    const proposer = await this.#parts.contracts.current();
    this.#parts.logger.info(
      { model: proposer?.kind ?? "none", contract: proposer?.address, ...proposer?.rules },
      "slashing model of the rollup: {model}",
    );
    this.#collector.start();
  }

  stop(): void {
    this.#collector.stop();
  }

  async actionsFor(slot: number): Promise<SlashAction[]> {
    const proposer = await this.#parts.contracts.current();
    if (proposer === undefined) return [];
    return proposer.kind === "tally" ? this.#tally.actionsFor(proposer, slot) : this.#empire.actionsFor(proposer, slot);
  }

  /** All pending offenses, or those that a round (default: the current one) votes about. Throws an L1Error. */
  async offenses(round: bigint | "all" | "current"): Promise<Offense[]> {
    const { store, contracts } = this.#parts;
    const proposer = await contracts.current();
    if (proposer === undefined) return [];
    if (round === "all") return [...store.range()].filter(({ slashed }) => !slashed);
    const number = round === "current" ? roundOfSlot(this.#slot(), proposer.rules) : Number(round);
    return proposer.kind === "tally"
      ? this.#tally.offensesOf(proposer, number)
      : this.#empire.offensesOf(proposer, number);
  }

  /** Throws a NoSlashPayloadsError in the tally model, and an L1Error. */
  async payloads(): Promise<VotedPayload[]> {
    const proposer = await this.#parts.contracts.current();
    if (proposer === undefined) return [];
    if (proposer.kind === "tally") throw new NoSlashPayloadsError();
    return this.#empire.payloads(proposer, this.#slot());
  }

  #slot(): number {
    const { now, constants } = this.#parts;
    return slotAt(Math.floor(now() / 1000), constants);
  }

  #collectionRules(): { roundSize: number; extraRounds: number; smallestAmount: bigint } | undefined {
    const { contracts, constants } = this.#parts;
    const proposer = contracts.latest;
    if (proposer === undefined) return undefined;
    const { roundSize } = proposer.rules;
    if (proposer.kind === "tally") return { roundSize, extraRounds: 0, smallestAmount: proposer.rules.amounts[0] };
    // The latest first round of an offense, see firstEligibleRound.
    const proofSlots = constants.proofSubmissionEpochs * constants.epochDuration;
    return { roundSize, extraRounds: Math.ceil(proofSlots / roundSize) + 2, smallestAmount: 0n };
  }
}
