import { readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { proposerIndex, sampleCommitteeIndices, sampleSeed } from "../../../src/l1/committee/sampling.ts";
import { SlotCommittees } from "../../../src/l1/committee/slot-committees.ts";
import type { EpochCommittee } from "../../../src/l1/types.ts";
import { bigUintBytes, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

const json = (path: string) => JSON.parse(readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8"));

// biome-ignore lint/suspicious/noExplicitAny: inputs and results differ by category
type Case = { id: string; category: string; name: string; input: any; expected: any };
const cases: Case[] = json("vectors/consensus.json").cases;
const of = (category: string) =>
  cases.filter((one) => one.category === category).map((one) => [one.name, one] as const);
const lower = (addresses: string[]) => addresses.map((address) => address.toLowerCase());

describe("rules of the committee", () => {
  test.each(of("committee-sampling"))("sample %s as the contract does", (_, { input, expected }) => {
    const size = input.validatorCount ?? input.validators.length;
    expect(sampleCommitteeIndices(size, input.committeeSize, BigInt(input.seed))).toEqual(expected.indices);
  });

  test.each(of("sample-seed"))("give the %s", (_, { input, expected }) => {
    const randao = BigInt.asUintN(224, BigInt(input.prevrandao));
    expect(toHex(bigUintBytes(sampleSeed(input.epoch, randao), 32))).toBe(expected.seed);
  });

  test.each(of("proposer-index"))("give the proposer of %s", (_, { input, expected }) => {
    const { epoch, slot, seed, committeeSize } = input;
    const index = proposerIndex(epoch, slot, BigInt(seed), committeeSize);
    expect(index).toBe(committeeSize === 0 ? undefined : expected.index);
  });
});

function committees(
  epochs: (epoch: number) => EpochCommittee | Promise<EpochCommittee>,
  { epochDuration = 4, targetCommitteeSize = 4 } = {},
) {
  const clock = { now: 1_000_000_000 };
  const read = vi.fn(async (epoch: number) => epochs(epoch));
  const constants = {
    l1GenesisTime: 1000,
    slotDuration: 24,
    ethereumSlotDuration: 4,
    epochDuration,
    targetCommitteeSize,
  };
  const slots = new SlotCommittees({ read, constants, now: () => clock.now, logger: silentLogger });
  return { slots, read, clock, constants };
}

const MEMBERS = [1, 2, 3, 4].map((byte) => new Uint8Array(20).fill(byte));
const epochOf = (epoch: number, committee: Uint8Array[] | undefined = MEMBERS): EpochCommittee => ({
  epoch,
  committee,
  seed: 5n,
  escapeHatchOpen: false,
  settled: true,
});

describe("the committee of a slot", () => {
  test.each(of("proposer-selection"))("has the proposers of %s", async (_, { input, expected }) => {
    const { slots, read } = committees(
      () => ({ ...epochOf(input.epoch, lower(input.committee).map(fromHex)), seed: BigInt(input.seed) }),
      { epochDuration: input.epochDuration },
    );
    for (const [i, proposer] of lower(expected.proposers).entries()) {
      const answer = await slots.at(input.firstSlot + i);
      expect(answer.epoch).toBe(input.epoch);
      expect(answer.proposer && toHex(answer.proposer)).toBe(proposer);
    }
    expect(read).toHaveBeenCalledTimes(1);
  });

  test("has the members and proposers of a recorded network", async () => {
    const { epochs, proposers } = json("p2p/network.json");
    const { slots } = committees((epoch) => ({
      ...epochOf(epoch),
      committee: epochs[epoch].committee?.map(fromHex),
      seed: BigInt(epochs[epoch].seed ?? 0),
    }));
    let checked = 0;
    for (const [slot, proposer] of Object.entries(proposers)) {
      const epoch = epochs[Math.floor(Number(slot) / 4)];
      if (epoch === undefined) continue;
      const answer = await slots.at(Number(slot));
      expect(answer.proposer && toHex(answer.proposer)).toBe(proposer ?? undefined);
      expect(answer.members.map(toHex)).toEqual(epoch.committee ?? []);
      expect(answer.kind).toBe(epoch.committee ? "committee" : "none");
      for (const member of answer.members) expect(answer.isMember(member)).toBe(true);
      expect(answer.isMember(new Uint8Array(20))).toBe(false);
      checked++;
    }
    expect(checked).toBeGreaterThan(50);
  });

  test("is read once for each epoch, however many ask at once", async () => {
    const { slots, read } = committees(epochOf);
    await Promise.all([40, 41, 42, 43, 40].map((slot) => slots.at(slot)));
    expect(read.mock.calls).toEqual([[10]]);
    expect(slots.cached(41)).toBe(await slots.at(41));
    expect(slots.cached(44)).toBeUndefined();
  });

  test("is open where the rollup has no committee, without a question to L1", async () => {
    const { slots, read } = committees(epochOf, { targetCommitteeSize: 0 });
    expect(await slots.at(7)).toMatchObject({ kind: "open", members: [], proposer: undefined });
    expect(read).not.toHaveBeenCalled();
  });

  test("is asked again only after an L1 slot when there are too few validators or L1 fails", async () => {
    let answer: () => EpochCommittee = () => ({ ...epochOf(10), committee: undefined });
    const { slots, read, clock } = committees(() => answer());
    expect((await slots.at(40)).kind).toBe("none");
    answer = () => {
      throw new Error("L1 is away");
    };
    expect((await slots.at(41)).kind).toBe("none");
    clock.now += 4000;
    await expect(slots.at(40)).rejects.toThrow("L1 is away");
    answer = () => epochOf(10);
    await expect(slots.at(43)).rejects.toThrow("L1 is away");
    expect(read).toHaveBeenCalledTimes(2);
    clock.now += 4000;
    expect((await slots.at(40)).kind).toBe("committee");
    expect(read).toHaveBeenCalledTimes(3);
  });

  test("is asked again after an L1 slot while its seed may change", async () => {
    let answer = { ...epochOf(10), settled: false };
    const { slots, read, clock } = committees(() => answer);
    const before = await slots.at(40);
    expect((await slots.at(40)).proposer).toEqual(before.proposer);
    expect(read).toHaveBeenCalledTimes(1);
    answer = { ...epochOf(10, MEMBERS.toReversed()), settled: true };
    clock.now += 4000;
    const after = await slots.at(40);
    expect(after.members).toEqual(MEMBERS.toReversed());
    expect(after.proposer).not.toEqual(before.proposer);
    clock.now += 4000;
    expect(await slots.at(40)).toBe(after);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test("is read ahead for the current and the next slot", async () => {
    const { slots, read, clock } = committees(epochOf);
    // The last slot of epoch 10.
    clock.now = (1000 + 43 * 24) * 1000 + 500;
    slots.start();
    await expect.poll(() => slots.cached(44)).toBeDefined();
    slots.stop();
    expect(slots.cached(43)).toBeDefined();
    expect(read.mock.calls).toEqual([[10], [11]]);
  });

  test("is kept for a bounded number of slots and epochs", async () => {
    const { slots, read } = committees(epochOf);
    for (let slot = 0; slot < 400; slot++) await slots.at(slot);
    expect(slots.cached(367)).toBeUndefined();
    expect(slots.cached(368)).toBeDefined();
    const before = read.mock.calls.length;
    await slots.at(0);
    expect(read).toHaveBeenCalledTimes(before + 1);
  });
});
