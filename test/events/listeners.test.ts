import { describe, expect, test } from "vitest";
import { Listeners } from "../../src/events/listeners.ts";

describe("listeners of an event", () => {
  test("are called in the order in which they subscribed, with what is emitted", () => {
    const calls: string[] = [];
    const listeners = new Listeners<[number, string]>(() => calls.push("failed"));
    listeners.add((n, text) => calls.push(`first ${n} ${text}`));
    listeners.add((n, text) => calls.push(`second ${n} ${text}`));
    listeners.emit(7, "a");
    expect(calls).toEqual(["first 7 a", "second 7 a"]);
  });

  test("are not called after they unsubscribed", () => {
    const calls: number[] = [];
    const listeners = new Listeners<[number]>(() => {});
    const unsubscribe = listeners.add((n) => calls.push(n));
    listeners.emit(1);
    unsubscribe();
    listeners.emit(2);
    expect(calls).toEqual([1]);
  });

  test("do not keep each other from being called by throwing", () => {
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
});
