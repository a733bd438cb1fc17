import type { TallyProposer } from "../../l1/slashing/tally-proposer.ts";
import type { EpochCommittee } from "../../l1/types.ts";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { SlashAction } from "../../protocol/slashing/action.ts";
import type { L1Constants } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { OffenseStore, StoredOffense } from "../offenses/offense-store.ts";
import { epochsOfRound, firstSlotOfRound, roundOfSlot } from "../offenses/rounds.ts";
import type { SlasherSettings } from "../offenses/settings.ts";
import { executableRound } from "./execution.ts";
import { type Accusation, encodeVotes, slashVotes } from "./votes.ts";

interface TallyParts {
  store: OffenseStore;
  /** Read for each vote. */
  settings: Readonly<SlasherSettings>;
  constants: Pick<L1Constants, "epochDuration">;
  committee(epoch: number): Promise<EpochCommittee>;
  /** Validators that are never voted on, besides those of the settings. Lower-case 0x text. */
  protectedValidators(): readonly string[];
  logger: Logger;
}

/** The tally model: proposers vote on each member of earlier committees (docs/protocol/12-slashing.md). */
export class TallySlashing {
  readonly #parts: TallyParts;

  constructor(parts: TallyParts) {
    this.#parts = parts;
  }

  /** Throws an L1Error. */
  async actionsFor(proposer: TallyProposer, slot: number): Promise<SlashAction[]> {
    const { settings, logger } = this.#parts;
    const [execution, vote] = await Promise.all([
      executableRound(proposer, slot, { lookBack: settings.executeRoundsLookBack, logger }),
      this.#vote(proposer, slot),
    ]);
    return [vote, execution].filter((action) => action !== undefined);
  }

  /** The offenses that proposers of a round vote about. */
  offensesOf(proposer: TallyProposer, round: number): StoredOffense[] {
    const target = round - proposer.rules.offsetInRounds;
    if (target < 0) return [];
    const first = firstSlotOfRound(target, proposer.rules);
    return [...this.#parts.store.range(first, first + proposer.rules.roundSize)];
  }

  async #vote(proposer: TallyProposer, slot: number): Promise<SlashAction | undefined> {
    const { settings, constants, committee, logger } = this.#parts;
    const { rules } = proposer;
    const round = roundOfSlot(slot, rules);
    const accusations = this.#accusations(proposer, round);
    if (round < rules.offsetInRounds || accusations.length === 0) return undefined;
    const sizes = { roundSize: rules.roundSize, epochDuration: constants.epochDuration };
    const epochs = epochsOfRound(round - rules.offsetInRounds, sizes);
    const committees = await Promise.all(epochs.map(async (epoch) => (await committee(epoch)).committee ?? []));
    const votes = slashVotes({
      accusations,
      committees,
      epochs,
      targetCommitteeSize: rules.committeeSize,
      epochDuration: constants.epochDuration,
      amounts: rules.amounts,
      maxSlashed: settings.maxPayloadSize,
    });
    if (votes.every((vote) => vote === 0)) {
      logger.debug({ slot, round, offenses: accusations.length }, "the offenses give no vote in round {round}");
      return undefined;
    }
    const encoded = encodeVotes(votes);
    logger.info({ slot, round, epochs, votes: toHex(encoded) }, "voting to slash in round {round}");
    return { kind: "vote-offenses", contract: proposer.address, slot, round: BigInt(round), votes: encoded };
  }

  #accusations(proposer: TallyProposer, round: number): Accusation[] {
    const { settings, protectedValidators } = this.#parts;
    const [, , large] = proposer.rules.amounts;
    const never = new Set([...settings.validatorsNever, ...protectedValidators()]);
    const always = settings.validatorsAlways.map((address) => ({
      validator: fromHex(address),
      amount: large,
      epochOrSlot: undefined,
    }));
    return [...this.offensesOf(proposer, round), ...always].filter(({ validator }) => !never.has(toHex(validator)));
  }
}
