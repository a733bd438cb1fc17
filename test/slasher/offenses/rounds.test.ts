import { hashTypedData } from "viem";
import { expect, test } from "vitest";
import { slashCall } from "../../../src/l1/slashing/slash-call.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import {
  epochOfOffense,
  isSlotOffense,
  type OffenseType,
  slotOfOffense,
} from "../../../src/protocol/slashing/offense.ts";
import { epochsOfRound, roundOfSlot, votingSlot } from "../../../src/slasher/offenses/rounds.ts";
import { type Accusation, encodeVotes, slashVotes } from "../../../src/slasher/tally/votes.ts";
import { consensusCases } from "../../world/sequencer/vectors.ts";

interface RecordedOffense {
  validator: string;
  amount: string;
  offenseType: OffenseType;
  epochOrSlot: string | null;
}

function accusation({ validator, amount, offenseType, epochOrSlot }: RecordedOffense): Accusation {
  const base = { validator: fromHex(validator), amount: BigInt(amount) };
  return epochOrSlot === null
    ? { ...base, epochOrSlot: undefined }
    : { ...base, offenseType, epochOrSlot: BigInt(epochOrSlot) };
}

interface VotesInput {
  committees: string[][];
  epochs?: string[];
  targetEpochs?: string[];
  offenses: RecordedOffense[];
  targetCommitteeSize?: number;
  epochDuration: number;
  slashingAmounts: [string, string, string];
  maxSlashedValidators?: number | null;
}

function votesOf(input: VotesInput): number[] {
  const [small, medium, large] = input.slashingAmounts.map(BigInt);
  return slashVotes({
    accusations: input.offenses.map(accusation),
    committees: input.committees.map((committee) => committee.map(fromHex)),
    epochs: (input.epochs ?? input.targetEpochs ?? []).map(Number),
    targetCommitteeSize: input.targetCommitteeSize ?? input.committees[0].length,
    epochDuration: input.epochDuration,
    amounts: [small, medium, large],
    maxSlashed: input.maxSlashedValidators ?? undefined,
  });
}

test.each(
  consensusCases<
    { slot: number; slashingRoundSize: number; epochDuration: number },
    {
      round: string;
      votingSlot: number;
      epochsOfRound: number[];
    }
  >("slash-rounds"),
)("a slot has its round, voting slot and epochs: $name", ({ input, expected }) => {
  const sizes = { roundSize: input.slashingRoundSize, epochDuration: input.epochDuration };
  const round = roundOfSlot(input.slot, sizes);
  expect(round).toBe(Number(expected.round));
  expect(votingSlot(input.slot, sizes)).toBe(expected.votingSlot);
  expect(epochsOfRound(round, sizes)).toEqual(expected.epochsOfRound);
});

test.each(
  consensusCases<
    { offenseType: OffenseType; epochOrSlot: string; epochDuration: number; slashingRoundSize: number },
    { unit: string; epoch: string; firstSlot: number; round: string }
  >("offense-time-unit"),
)("an offense has its unit of time: $name", ({ input, expected }) => {
  const offense = { offenseType: input.offenseType, epochOrSlot: BigInt(input.epochOrSlot) };
  expect(isSlotOffense(input.offenseType) ? "slot" : "epoch").toBe(expected.unit);
  expect(epochOfOffense(offense, input)).toBe(BigInt(expected.epoch));
  expect(slotOfOffense(offense, input)).toBe(BigInt(expected.firstSlot));
  const sizes = { roundSize: input.slashingRoundSize, epochDuration: input.epochDuration };
  expect(roundOfSlot(Number(slotOfOffense(offense, input)), sizes)).toBe(Number(expected.round));
});

test.each(consensusCases<VotesInput, { votes: number[]; encoded: string }>("slash-votes"))(
  "offenses give the votes: $name",
  ({ input, expected }) => {
    const votes = votesOf(input);
    expect(votes).toEqual(expected.votes);
    expect(toHex(encodeVotes(votes))).toBe(expected.encoded);
  },
);

test.each(consensusCases<{ votes: number[] }, { encoded: string }>("slash-vote-encoding"))(
  "votes are encoded in two bits each: $name",
  ({ input, expected }) => {
    expect(toHex(encodeVotes(input.votes))).toBe(expected.encoded);
  },
);

test.each(consensusCases<VotesInput, { votes: number[]; encoded: string }>("slash-end-to-end"))(
  "the votes of a whole round: $name",
  ({ input, expected }) => {
    const votes = votesOf(input);
    expect(votes).toEqual(expected.votes);
    expect(toHex(encodeVotes(votes))).toBe(expected.encoded);
  },
);

test.each(
  consensusCases<
    { domain: { chainId: number; verifyingContract: string }; message: { votes: `0x${string}`; slot: string } },
    { digest: string; signature: string; calldata?: string }
  >("slash-vote-digest"),
)("a vote has its digest and call: $name", ({ input, expected }) => {
  const contract = input.domain.verifyingContract.toLowerCase();
  const call = slashCall(
    {
      kind: "vote-offenses",
      contract,
      slot: Number(input.message.slot),
      round: 4n,
      votes: fromHex(input.message.votes),
    },
    { chainId: input.domain.chainId, rollup: `0x${"00".repeat(20)}`, domain: V4.l1.slashingDomain },
  );
  expect(hashTypedData(call.toSign as Parameters<typeof hashTypedData>[0])).toBe(expected.digest);
  if (expected.calldata !== undefined)
    expect(toHex(call.calldata(fromHex(expected.signature)))).toBe(expected.calldata);
});
