import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DUTY_STATUSES, type DutyStatus } from "../../../src/protocol/slashing/validator-statistics.ts";
import { SentinelStore } from "../../../src/slasher/sentinel/sentinel-store.ts";
import { openStore } from "../../../src/storage/store.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";

const address = (byte: number) => new Uint8Array(20).fill(byte);
const ALL = { from: undefined, to: undefined };
const record = (store: SentinelStore, slot: number, status: DutyStatus, byte = 1) =>
  store.recordSlot(slot, [{ validator: address(byte), status }]);

test("every status is read as it was recorded", () => {
  const store = new SentinelStore(new MemoryStore(), { slots: 100, epochs: 10 });
  for (const [slot, status] of DUTY_STATUSES.entries()) record(store, slot, status);
  expect(store.history(address(1), ALL)).toEqual(DUTY_STATUSES.map((status, slot) => ({ slot, status })));
});

test("a history keeps as many entries as its limit, however far apart their slots are", () => {
  const store = new SentinelStore(new MemoryStore(), { slots: 3, epochs: 10 });
  for (const slot of [1, 5, 90, 1000]) record(store, slot, "attestation-sent");
  expect(store.history(address(1), ALL).map(({ slot }) => slot)).toEqual([5, 90, 1000]);
});

test("a slot is recorded once for a validator, and earlier ones not after it", () => {
  const store = new SentinelStore(new MemoryStore(), { slots: 3, epochs: 10 });
  record(store, 5, "attestation-sent");
  record(store, 5, "attestation-missed");
  record(store, 4, "attestation-missed");
  expect(store.history(address(1), ALL)).toEqual([{ slot: 5, status: "attestation-sent" }]);
});

test("a history in bounds is that of a plain filter, with both bounds inclusive", () => {
  const slots = fc.uniqueArray(fc.nat(40), { maxLength: 30 });
  const bound = fc.option(fc.nat(45), { nil: undefined });
  fc.assert(
    fc.property(slots, bound, bound, (unsorted, from, to) => {
      const store = new SentinelStore(new MemoryStore(), { slots: 100, epochs: 10 });
      const sorted = unsorted.toSorted((x, y) => x - y);
      for (const slot of sorted) record(store, slot, "attestation-sent");
      const expected = sorted.filter((slot) => slot >= (from ?? 0) && slot <= (to ?? 100));
      expect(store.history(address(1), { from, to }).map(({ slot }) => slot)).toEqual(expected);
    }),
  );
});

test("an epoch's performance replaces the one recorded before, and the oldest epochs are dropped", () => {
  const store = new SentinelStore(new MemoryStore(), { slots: 3, epochs: 2 });
  const validator = address(1);
  store.recordEpoch(7, [{ validator, missed: 1, total: 4 }]);
  store.recordEpoch(6, [{ validator, missed: 0, total: 4 }]);
  store.recordEpoch(7, [{ validator, missed: 2, total: 5 }]);
  expect(store.performance(validator)).toEqual([
    { epoch: 6, missed: 0, total: 4 },
    { epoch: 7, missed: 2, total: 5 },
  ]);
  store.recordEpoch(8, [{ validator, missed: 3, total: 3 }]);
  expect(store.performance(validator).map(({ epoch }) => epoch)).toEqual([7, 8]);
  expect(store.performance(address(2))).toEqual([]);
});

test("history and performance are there after a restart, with validators in order of address", async () => {
  const path = mkdtempSync(join(tmpdir(), "svc-sentinel-"));
  const limits = { slots: 10, epochs: 10 };
  const first = openStore({ path });
  const before = new SentinelStore(first, limits);
  for (const byte of [200, 3]) record(before, 5, "blocks-missed", byte);
  before.recordEpoch(1, [{ validator: address(3), missed: 1, total: 1 }]);
  await first.close();
  const second = openStore({ path });
  const after = new SentinelStore(second, limits);
  expect(after.validators()).toEqual([address(3), address(200)]);
  expect(after.history(address(3), ALL)).toEqual([{ slot: 5, status: "blocks-missed" }]);
  expect(after.performance(address(3))).toEqual([{ epoch: 1, missed: 1, total: 1 }]);
  await second.close();
  rmSync(path, { recursive: true });
});
