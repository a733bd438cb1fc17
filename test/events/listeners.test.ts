import { expect, test } from "vitest";
import { Listeners } from "../../src/events/listeners.ts";

test("listeners are called in order of subscription with the emitted values", () => {
  const calls: string[] = [];
  const listeners = new Listeners<[number, string]>(() => calls.push("failed"));
  listeners.add((n, text) => calls.push(`first ${n} ${text}`));
  listeners.add((n, text) => calls.push(`second ${n} ${text}`));
  listeners.emit(7, "a");
  expect(calls).toEqual(["first 7 a", "second 7 a"]);
});

test("listeners are not called after they unsubscribed", () => {
  const calls: number[] = [];
  const listeners = new Listeners<[number]>(() => {});
  const unsubscribe = listeners.add((n) => calls.push(n));
  listeners.emit(1);
  unsubscribe();
  listeners.emit(2);
  expect(calls).toEqual([1]);
});

test("a listener that throws does not keep others from being called", () => {
  const failures: unknown[] = [];
  const calls: number[] = [];
  const listeners = new Listeners<[number]>((error) => failures.push(error));
  const failure = new RangeError("no");
  listeners.add(() => {
    throw failure;
  });
  listeners.add((n) => calls.push(n));
  listeners.emit(3);
  expect(calls).toEqual([3]);
  expect(failures).toEqual([failure]);
});
