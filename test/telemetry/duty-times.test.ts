import { expect, test } from "vitest";
import { dueTime } from "../../src/sequencer/timetable/due-times.ts";
import { timetable } from "../../src/sequencer/timetable/timetable.ts";
import { DutyTimes } from "../../src/telemetry/duty-times.ts";

const SLOT_MS = 72_000;
type Line = { level: string; facts: Record<string, unknown> };

function measuring() {
  const lines: Line[] = [];
  const at = (level: string) => (facts: object) => void lines.push({ level, facts: facts as Line["facts"] });
  const clock = { ms: 0 };
  const times = new DutyTimes({
    startOf: (slot) => slot * SLOT_MS,
    due: (duty) => (duty === "attest" ? 40_000 : undefined),
    now: () => clock.ms,
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
  });
  return { times, clock, lines };
}

test("steps of a duty are timed from the start of its slot, and a step that is repeated counts once", () => {
  const { times, clock } = measuring();
  clock.ms = 10 * SLOT_MS - 3000;
  times.done(10, "received", { duty: "attest", agoMs: 250 });
  clock.ms += 5000;
  times.done(10, "signed", { duty: "attest" });
  clock.ms += 10;
  times.done(10, "signed", { duty: "attest" });
  times.done(10, "executed", { duty: "execute block", index: 2 });
  expect(times.recent()).toEqual([
    {
      slot: 10,
      duties: [
        { duty: "attest", index: undefined, due: 40_000, steps: { received: -3250, signed: 2010 } },
        { duty: "execute block", index: 2, due: undefined, steps: { executed: 2010 } },
      ],
    },
  ]);
});

test("a slot is logged once the next one begins, as a warning if a duty was done too late", () => {
  const { times, clock, lines } = measuring();
  for (const [slot, ms] of [
    [10, 30_000],
    [11, 40_001],
    [12, 0],
  ]) {
    clock.ms = slot * SLOT_MS + ms;
    times.done(slot, "sent", { duty: "attest" });
  }
  expect(lines).toMatchObject([
    { level: "debug", facts: { slot: 10, left: 10_000, duties: [{ duty: "attest", sent: 30_000 }] } },
    { level: "warn", facts: { slot: 11, left: -1 } },
  ]);
});

test("the latest 32 slots are kept, newest first, with at most 64 duties each", () => {
  const { times, clock } = measuring();
  for (let slot = 1; slot <= 40; slot++) {
    clock.ms = slot * SLOT_MS;
    times.done(slot, "sent", { duty: "attest" });
  }
  times.done(8, "sent", { duty: "attest" });
  const slots = times.recent().map(({ slot }) => slot);
  expect([slots.length, slots[0], slots.at(-1)]).toEqual([32, 40, 9]);
  for (let index = 0; index < 100; index++) times.done(40, "received", { duty: "execute block", index });
  expect(times.recent()[0].duties).toHaveLength(64);
});

test("an attestation is due one propagation before the latest begin of publishing", () => {
  const table = timetable({
    slotDuration: 72,
    ethereumSlotDuration: 12,
    l1PublishingTime: 12,
    propagationTime: 2,
    blockDurationMs: 6000,
    enforced: true,
  });
  const due = (duty: Parameters<typeof dueTime>[2]) => dueTime(table, 12, duty);
  expect([due("attest"), due("propose block"), due("propose checkpoint")]).toEqual([46_000, 37_000, 60_000]);
});

test("misses are remembered beyond the latest slots, with the last reason of each, the newest slot first", () => {
  const { times, clock } = measuring();
  times.missed(3, "attest", "refused");
  times.missed(4, "propose checkpoint", "not synced");
  times.missed(3, "attest", "late");
  clock.ms = 5 * SLOT_MS + 41_000;
  times.done(5, "sent", { duty: "attest" });
  times.done(6, "received", { duty: "attest" });
  expect(times.misses()).toEqual([
    { slot: 5, duty: "attest", reason: "done 1000 ms too late" },
    { slot: 4, duty: "propose checkpoint", reason: "not synced" },
    { slot: 3, duty: "attest", reason: "late" },
  ]);
  for (let slot = 10; slot < 1_000; slot++) times.missed(slot, "attest", "x".repeat(10_000));
  expect(times.misses()).toHaveLength(256);
  expect(times.misses()[0]).toMatchObject({ slot: 999, reason: "x".repeat(500) });
});
