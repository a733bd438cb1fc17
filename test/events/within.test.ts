import { afterEach, expect, test, vi } from "vitest";
import { within } from "../../src/events/within.ts";

afterEach(() => vi.useRealTimers());

const never = () => new Promise<string>(() => {});

test("a wait settles as its work does, and leaves no timer and no listener", async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  const remove = vi.spyOn(signal, "removeEventListener");
  expect(await within(Promise.resolve("done"), { ms: 1_000, signal })).toBe("done");
  await expect(within(Promise.reject(new Error("no")), { ms: 1_000, signal })).rejects.toThrow("no");
  expect([vi.getTimerCount(), remove.mock.calls.length]).toEqual([0, 2]);
});

test("a wait ends after its time with what `late` gives or throws", async () => {
  vi.useFakeTimers();
  const given = within(never(), { ms: 1_000, late: () => "late" });
  const thrown = within(never(), {
    ms: 1_000,
    late: () => {
      throw new Error("too late");
    },
  });
  const caught = expect(thrown).rejects.toThrow("too late");
  const nothing = within(never(), { ms: 1_000 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await given, await nothing]).toEqual(["late", undefined]);
  await caught;
});

test("work that arrives while the process stands still is seen after the time", async () => {
  const arrived = new Promise<string>((resolve) => setImmediate(resolve, "done"));
  const wait = within(arrived, { ms: 1, late: () => "late" });
  const end = performance.now() + 100;
  while (performance.now() < end);
  expect(await wait).toBe("done");
});

test("a process whose every turn lasts long still ends a wait", async () => {
  let ended = false;
  void within(never(), { ms: 1 }).then(() => {
    ended = true;
  });
  let turns = 0;
  for (; !ended && turns < 10; turns++) {
    const end = performance.now() + 110;
    while (performance.now() < end);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(turns).toBeLessThan(5);
});

test("a wait ends with the reason of its signal, and work that fails afterwards is not unhandled", async () => {
  const stop = new AbortController();
  const { promise, reject } = Promise.withResolvers<string>();
  const wait = within(promise, { signal: stop.signal });
  stop.abort(new Error("stopping"));
  await expect(wait).rejects.toThrow("stopping");
  await expect(within(promise, { signal: stop.signal })).rejects.toThrow("stopping");
  reject(new Error("later"));
  await expect(promise).rejects.toThrow("later");
});
