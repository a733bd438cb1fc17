import { expect, test } from "vitest";
import { Authentications } from "../../../src/p2p/peers/authentications.ts";
import { FailedAuthentications } from "../../../src/p2p/peers/failed-authentications.ts";

test("a validator is bound to one peer at a time, and free again when that peer leaves", () => {
  const bound = new Authentications();
  expect(bound.bind("first", "0xa")).toBe(true);
  expect(bound.bind("second", "0xa")).toBe(false);
  expect([bound.has("first"), bound.has("second")]).toEqual([true, false]);
  bound.drop("first");
  expect(bound.bind("second", "0xa")).toBe(true);
});

test("a peer that authenticates as another validator frees the one before", () => {
  const bound = new Authentications();
  bound.bind("peer", "0xa");
  bound.bind("peer", "0xb");
  expect(bound.bind("other", "0xa")).toBe(true);
});

test("peers of validators that left the set lose their authentication", () => {
  const bound = new Authentications();
  bound.bind("a", "0xa");
  bound.bind("b", "0xb");
  expect(bound.retain(new Set(["0xb"]))).toEqual(["a"]);
  expect([bound.has("a"), bound.has("b")]).toEqual([false, true]);
});

test("the fourth failed authentication within an hour of the one before refuses a peer", () => {
  const clock = { now: 0 };
  const failed = new FailedAuthentications(3, () => clock.now);
  for (let i = 0; i < 3; i++) failed.add("10.0.0.1");
  expect(failed.isRefused("10.0.0.1")).toBe(false);
  clock.now = 3_600_000;
  failed.add("10.0.0.1");
  expect(failed.isRefused("10.0.0.1")).toBe(true);
  expect(failed.isRefused("10.0.0.2")).toBe(false);
  clock.now += 3_600_001;
  expect(failed.isRefused("10.0.0.1")).toBe(false);
});
