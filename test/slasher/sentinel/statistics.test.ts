import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DUTY_STATUSES,
  type DutyStatus,
  type HistoryEntry,
} from "../../../src/protocol/slashing/validator-statistics.ts";
import { isInactive } from "../../../src/slasher/sentinel/inactivity.ts";
import { epochPerformance, validatorStatistics } from "../../../src/slasher/sentinel/statistics.ts";

const address = new Uint8Array(20).fill(7);
const times = { l1GenesisTime: 1000, slotDuration: 24 };

/** Missed, done and streak of one duty, entry by entry. */
function model(history: HistoryEntry[], missed: DutyStatus[], done: DutyStatus[]) {
  let [count, total, currentStreak] = [0, 0, 0];
  let last: number | undefined;
  for (const { slot, status } of history) {
    if (missed.includes(status)) {
      count++;
      currentStreak++;
    } else if (done.includes(status)) {
      currentStreak = 0;
      last = slot;
    } else continue;
    total++;
  }
  return {
    missed: total === 0 ? { currentStreak, count, total } : { currentStreak, rate: count / total, count, total },
    last,
  };
}

const histories = fc.array(fc.constantFrom(...DUTY_STATUSES), { maxLength: 40 }).map((statuses) =>
  // Some slots have no entry.
  statuses.map((status, i): HistoryEntry => ({ slot: 2 * i + 3, status })),
);

describe("statistics of a validator", () => {
  test("they are those of a plain model that counts entry by entry", () => {
    fc.assert(
      fc.property(histories, (history) => {
        const found = validatorStatistics(address, history, times);
        const proposals = model(
          history,
          ["checkpoint-missed", "blocks-missed"],
          ["checkpoint-mined", "checkpoint-proposed"],
        );
        const attestations = model(history, ["attestation-missed"], ["attestation-sent"]);
        expect(found.missedProposals).toStrictEqual(proposals.missed);
        expect(found.missedAttestations).toStrictEqual(attestations.missed);
        expect(found.lastProposal?.slot).toBe(proposals.last);
        expect(found.lastAttestation?.slot).toBe(attestations.last);
        expect(found.totalSlots).toBe(history.length);
        expect(found.history).toEqual(history);
        expect(epochPerformance(history)).toEqual({
          missed: proposals.missed.count + attestations.missed.count,
          total: history.length,
        });
      }),
    );
  });

  test("a duty's time is the start of its slot", () => {
    const { lastProposal } = validatorStatistics(address, [{ slot: 10, status: "checkpoint-proposed" }], times);
    expect(lastProposal).toEqual({ timestamp: 1240n, slot: 10, date: "1970-01-01T00:20:40.000Z" });
  });

  test("what never happened is absent, not undefined", () => {
    expect(Object.keys(validatorStatistics(address, [], times))).toEqual([
      "address",
      "totalSlots",
      "missedProposals",
      "missedAttestations",
      "history",
    ]);
  });
});

describe("inactivity", () => {
  const epochs = (...shares: [missed: number, total: number][]) =>
    shares.map(([missed, total], i) => ({ epoch: i + 1, missed, total }));
  const rule = (consecutiveEpochs: number) => ({ targetPercentage: 0.9, consecutiveEpochs });

  test("a validator is inactive from the target share of missed duties on", () => {
    expect(isInactive(epochs([9, 10]), 1, rule(1))).toBe(true);
    expect(isInactive(epochs([89, 100]), 1, rule(1))).toBe(false);
  });

  test("an epoch without duties is not an inactive one", () => {
    expect(isInactive(epochs([0, 0]), 1, rule(1))).toBe(false);
    expect(isInactive(epochs([4, 4], [0, 0], [4, 4]), 3, rule(2))).toBe(false);
  });

  test("all of the last recorded epochs must be inactive, and there must be enough of them", () => {
    expect(isInactive(epochs([4, 4], [4, 4]), 2, rule(3))).toBe(false);
    expect(isInactive(epochs([0, 4], [4, 4], [4, 4]), 3, rule(2))).toBe(true);
    expect(isInactive(epochs([4, 4], [0, 4], [4, 4]), 3, rule(2))).toBe(false);
  });

  test("recorded epochs count, not those in which the validator was in no committee", () => {
    const recorded = [
      { epoch: 3, missed: 4, total: 4 },
      { epoch: 9, missed: 4, total: 4 },
    ];
    expect(isInactive(recorded, 9, rule(2))).toBe(true);
  });

  test("epochs after the evaluated one do not count", () => {
    expect(isInactive(epochs([4, 4], [0, 4]), 1, rule(1))).toBe(true);
  });
});
