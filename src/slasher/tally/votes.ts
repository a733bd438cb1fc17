import { toHex } from "../../protocol/bytes.ts";
import { epochOfOffense, type Offense } from "../../protocol/slashing/offense.ts";

/** What a proposer holds against a validator. */
export type Accusation =
  | Pick<Offense, "validator" | "amount" | "offenseType" | "epochOrSlot">
  /** In every epoch. */
  | { validator: Uint8Array; amount: bigint; epochOrSlot: undefined };

/** Amounts that 1, 2 and 3 units slash, ascending. */
type SlashAmounts = readonly [small: bigint, medium: bigint, large: bigint];

interface VoteTerms {
  accusations: readonly Accusation[];
  /** Committees of the epochs, 20-byte addresses; empty where there is none. */
  committees: readonly (readonly Uint8Array[])[];
  epochs: readonly number[];
  targetCommitteeSize: number;
  epochDuration: number;
  amounts: SlashAmounts;
  /** Most entries that may be non-zero; undefined: all. */
  maxSlashed: number | undefined;
}

/**
 * Units of slashing, 0 to 3, for each position of each committee
 * (docs/protocol/12-slashing.md#127-votes-of-the-tally-model).
 */
export function slashVotes(terms: VoteTerms): number[] {
  const { committees, epochs, targetCommitteeSize, amounts } = terms;
  const votes = epochs.flatMap((epoch, i) => {
    const sums = sumsInEpoch(terms, BigInt(epoch));
    const members = committees[i];
    return Array.from({ length: targetCommitteeSize }, (_, position) =>
      position < members.length ? units(sums.get(toHex(members[position])) ?? 0n, amounts) : 0,
    );
  });
  return limited(votes, terms.maxSlashed);
}

/** The penalties of each validator (0x text) in an epoch. */
function sumsInEpoch({ accusations, epochDuration }: VoteTerms, epoch: bigint): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const accusation of accusations) {
    const { validator, amount, epochOrSlot } = accusation;
    if (epochOrSlot !== undefined && epochOfOffense(accusation, { epochDuration }) !== epoch) continue;
    const key = toHex(validator);
    sums.set(key, (sums.get(key) ?? 0n) + amount);
  }
  return sums;
}

function units(sum: bigint, [small, medium, large]: SlashAmounts): number {
  if (sum >= large) return 3;
  if (sum >= medium) return 2;
  return sum >= small ? 1 : 0;
}

/** Keeps the highest votes; of equal ones, the first. */
function limited(votes: number[], most: number | undefined): number[] {
  const voted = votes.flatMap((vote, position) => (vote > 0 ? [{ vote, position }] : []));
  if (most === undefined || voted.length <= most) return votes;
  const kept = new Set(
    voted
      .sort((a, b) => b.vote - a.vote)
      .slice(0, most)
      .map(({ position }) => position),
  );
  return votes.map((vote, position) => (kept.has(position) ? vote : 0));
}

/** Two bits for each vote, four votes in a byte, the first in its lowest bits. */
export function encodeVotes(votes: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(votes.length / 4));
  votes.forEach((vote, i) => {
    bytes[i >> 2] |= vote << ((i & 3) * 2);
  });
  return bytes;
}
