import { toHex } from "../../protocol/bytes.ts";
import { OFFENSE_TYPES, type Offense, type OffenseType } from "../../protocol/slashing/offense.ts";
import { roundOfSlot } from "../offenses/rounds.ts";

export interface EligibilityTerms {
  /** Slots. */
  roundSize: number;
  epochDuration: number;
  proofSubmissionEpochs: number;
  /** Rounds in which an offense stays eligible after its first one. */
  expirationRounds: number;
}

const PRUNE_TYPES: readonly OffenseType[] = [OFFENSE_TYPES.dataWithholding, OFFENSE_TYPES.validEpochPruned];
const EPOCH_TYPES: readonly OffenseType[] = [OFFENSE_TYPES.unknown, OFFENSE_TYPES.inactivity];
/** Offenses that L1 itself shows, so that all nodes must agree on them. */
const UNCONTROVERSIAL: readonly OffenseType[] = [
  OFFENSE_TYPES.proposedInsufficientAttestations,
  OFFENSE_TYPES.proposedIncorrectAttestations,
  OFFENSE_TYPES.attestedDescendantOfInvalid,
];

export function isUncontroversial({ offenseType }: Pick<Offense, "offenseType">): boolean {
  return UNCONTROVERSIAL.includes(offenseType);
}

/** The first round in which a payload may slash for the offense: one after that in which all nodes can know it. */
export function firstEligibleRound(
  { offenseType, epochOrSlot }: Pick<Offense, "offenseType" | "epochOrSlot">,
  terms: EligibilityTerms,
): number {
  const { epochDuration, proofSubmissionEpochs } = terms;
  const time = Number(epochOrSlot);
  let known = time + 1;
  if (EPOCH_TYPES.includes(offenseType)) known = (time + 1) * epochDuration;
  if (PRUNE_TYPES.includes(offenseType)) known = (time + proofSubmissionEpochs) * epochDuration;
  return roundOfSlot(known, terms) + 1;
}

export function isEligible(
  offense: Pick<Offense, "offenseType" | "epochOrSlot">,
  round: number,
  terms: EligibilityTerms,
): boolean {
  const first = firstEligibleRound(offense, terms);
  return round >= first && round <= first + terms.expirationRounds;
}

/**
 * The order in which offenses enter a payload: uncontroversial ones, higher penalties, earlier ones, lower validator
 * addresses, and higher types first.
 */
export function compareOffenses(a: Offense, b: Offense): number {
  return (
    Number(isUncontroversial(b)) - Number(isUncontroversial(a)) ||
    compare(b.amount, a.amount) ||
    compare(a.epochOrSlot, b.epochOrSlot) ||
    compare(toHex(a.validator), toHex(b.validator)) ||
    b.offenseType - a.offenseType
  );
}

function compare<T extends bigint | string>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b);
}
