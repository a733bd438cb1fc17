import { type PayloadSlash, sortedSlashes } from "../../l1/slashing/slash-factory.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Offense } from "../../protocol/slashing/offense.ts";
import type { SlasherSettings } from "../offenses/settings.ts";
import { compareOffenses, isUncontroversial } from "./eligibility.ts";

/** Factors of penalties are compared as whole millionths. */
const MILLION = 1_000_000;

/** The payload that this node would make from the eligible offenses, sorted as the factory expects. */
export function idealPayload(eligible: readonly Offense[], maxPayloadSize: number): PayloadSlash[] {
  const chosen = [...eligible].sort(compareOffenses).slice(0, maxPayloadSize);
  const slashes = Map.groupBy(chosen, ({ validator }) => toHex(validator));
  return sortedSlashes(
    [...slashes].map(([validator, offenses]) => ({
      validator,
      amount: sum(offenses),
      offenses: offenses.map(({ epochOrSlot, offenseType }) => ({ epochOrSlot, offenseType })),
    })),
  );
}

/**
 * Why this node does not vote for a payload; undefined if it agrees with it. `eligible` are the offenses that the node
 * knows and that may be slashed for in the round.
 */
export function disagreement(
  slashes: readonly PayloadSlash[],
  eligible: readonly Offense[],
  limits: Pick<SlasherSettings, "maxPayloadSize" | "minPenaltyPercentage" | "maxPenaltyPercentage">,
): string | undefined {
  if (slashes.length > limits.maxPayloadSize) return `it slashes more than ${limits.maxPayloadSize} validators`;
  const known = new Map(eligible.map((offense) => [keyOf(toHex(offense.validator), offense), offense]));
  const included = new Set<string>();
  for (const { validator, amount, offenses } of slashes) {
    const keys = offenses.map((offense) => keyOf(validator, offense));
    const own = keys.flatMap((key) => known.get(key) ?? []);
    if (own.length < keys.length) return `an offense of ${validator} is not known or not eligible`;
    const penalty = sum(own);
    if (amount * BigInt(MILLION) < penalty * millionths(limits.minPenaltyPercentage))
      return `${amount} is too little for ${validator}, for ${penalty}`;
    if (amount * BigInt(MILLION) > penalty * millionths(limits.maxPenaltyPercentage))
      return `${amount} is too much for ${validator}, for ${penalty}`;
    for (const key of keys) included.add(key);
  }
  const left = eligible.find(
    (offense) => isUncontroversial(offense) && !included.has(keyOf(toHex(offense.validator), offense)),
  );
  return left && `it leaves out offense ${left.offenseType} of ${toHex(left.validator)}`;
}

/** The higher, the rather it is voted for. */
export function payloadScore(slashes: readonly PayloadSlash[], votes: number): bigint {
  return BigInt(votes + 1) * sum(slashes);
}

function sum(amounts: readonly { amount: bigint }[]): bigint {
  return amounts.reduce((total, { amount }) => total + amount, 0n);
}

function millionths(factor: number): bigint {
  return BigInt(Math.round(factor * MILLION));
}

function keyOf(
  validator: string,
  { offenseType, epochOrSlot }: Pick<Offense, "epochOrSlot"> & { offenseType: number },
) {
  return `${validator}:${offenseType}:${epochOrSlot}`;
}
