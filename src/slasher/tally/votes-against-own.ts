import type { SlashingProposer } from "../../l1/slashing/slashing-contracts.ts";
import type { TallyProposer } from "../../l1/slashing/tally-proposer.ts";
import { type L1Constants, slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { roundOfSlot } from "../offenses/rounds.ts";

interface VotesAgainstOwnOptions {
  contracts: { current(): Promise<SlashingProposer | undefined> };
  constants: L1Constants;
  /** Attesters of this node, lower-case 0x text. */
  ownValidators(): readonly string[];
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

interface CountedRound {
  readonly number: number;
  /** Ballots that were read. */
  ballots: number;
  /** Votes of these ballots against own validators. */
  against: number;
  committees: string[][] | undefined;
}

const POLLING_MS = 60_000;

/** Counts the votes on L1, of the round in progress of the tally model, to slash validators of this node. */
export class VotesAgainstOwn {
  readonly #options: VotesAgainstOwnOptions;
  #round: CountedRound | undefined;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: VotesAgainstOwnOptions) {
    this.#options = options;
  }

  /** Of the round in progress, as far as it was read; a vote is one position of one ballot. */
  get count(): number {
    return this.#round?.against ?? 0;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#reading = this.#reading.then(() => this.read()).catch((error: unknown) => this.#failed(error));
    }, POLLING_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reading;
  }

  /** Reads the ballots that are new on L1. Throws an L1Error. */
  async read(): Promise<void> {
    const { contracts, constants, now, ownValidators } = this.#options;
    const own = new Set(ownValidators());
    const proposer = own.size === 0 ? undefined : await contracts.current();
    if (proposer?.kind !== "tally") {
      this.#round = undefined;
      return;
    }
    const number = roundOfSlot(slotAt(Math.floor(now() / 1000), constants), proposer.rules);
    if (this.#round?.number !== number) this.#round = { number, ballots: 0, against: 0, committees: undefined };
    if (number >= proposer.rules.offsetInRounds) await this.#readRound(proposer, this.#round, own);
  }

  async #readRound(proposer: TallyProposer, round: CountedRound, own: ReadonlySet<string>): Promise<void> {
    const { votes: ballots } = await proposer.round(round.number);
    while (round.ballots < ballots) {
      round.committees ??= await proposer.targetCommittees(round.number);
      const ballot = await proposer.ballot(round.number, round.ballots);
      const accused = membersVotedOn(ballot, round.committees, proposer.rules.committeeSize).filter((member) =>
        own.has(member),
      );
      round.ballots++;
      if (accused.length === 0) continue;
      round.against += accused.length;
      const facts = { round: round.number, validators: [...new Set(accused)] };
      this.#options.logger.warn(facts, "a proposer voted in round {round} to slash validators of this node");
    }
  }

  #failed(error: unknown): void {
    this.#options.logger.debug(
      { err: error },
      "votes about validators of this node cannot be read from L1, trying again",
    );
  }
}

/** The members, once for each epoch, for whom a ballot has at least one unit. */
function membersVotedOn(ballot: Uint8Array, committees: readonly (readonly string[])[], size: number): string[] {
  return committees.flatMap((members, epoch) =>
    members.filter((_, i) => {
      const position = epoch * size + i;
      return ((ballot[position >> 2] >> ((position & 3) * 2)) & 3) > 0;
    }),
  );
}
