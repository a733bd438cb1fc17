import type { TallyProposer } from "../../l1/slashing/tally-proposer.ts";
import type { SlashAction } from "../../protocol/slashing/action.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { roundOfSlot } from "../offenses/rounds.ts";

/**
 * The oldest round that can be executed in a slot, as an action; undefined if there is none
 * (docs/protocol/12-slashing.md#128-execution-in-the-tally-model). Throws an L1Error.
 */
export async function executableRound(
  proposer: TallyProposer,
  slot: number,
  { lookBack, logger }: { lookBack: number; logger: Logger },
): Promise<Extract<SlashAction, { kind: "execute-slash" }> | undefined> {
  const { lifetimeInRounds, executionDelayInRounds } = proposer.rules;
  const current = roundOfSlot(slot, proposer.rules);
  const newest = current - executionDelayInRounds - 1;
  const oldest = Math.max(current - lifetimeInRounds, newest - lookBack, 0);
  if (newest < oldest) return undefined;
  if (!(await proposer.slasher.isSlashingEnabled())) {
    logger.debug({ slot }, "slashing is disabled, so no round is executed");
    return undefined;
  }
  for (let round = oldest; round <= newest; round++) {
    const committees = await slashedCommittees(proposer, round, slot, logger);
    if (committees === undefined) continue;
    return { kind: "execute-slash", contract: proposer.address, slot, round: BigInt(round), committees };
  }
  return undefined;
}

/** Committees of a round, empty where nobody is slashed; undefined if the round cannot be executed. */
async function slashedCommittees(
  proposer: TallyProposer,
  round: number,
  slot: number,
  logger: Logger,
): Promise<string[][] | undefined> {
  const { executed, votes } = await proposer.round(round);
  if (executed || votes === 0 || votes < proposer.rules.quorum) return undefined;
  if (!(await proposer.isReadyToExecute(round, slot))) return undefined;
  const committees = await proposer.targetCommittees(round);
  const slashes = await proposer.tally(round, committees);
  if (slashes.length === 0) return undefined;
  const payload = await proposer.payloadAddress(round, slashes);
  if (await proposer.slasher.isVetoed(payload)) {
    logger.warn({ round, payload }, "the slashes of round {round} were vetoed");
    return undefined;
  }
  logger.info(
    { round, payload, slashes: slashes.map(({ validator, amount }) => `${validator}: ${amount}`) },
    "round {round} can be executed",
  );
  const slashed = new Set(slashes.map(({ validator }) => validator));
  return committees.map((members) => (members.some((member) => slashed.has(member)) ? members : []));
}
