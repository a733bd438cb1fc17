import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchCutover } from "../../src/network/cutover.ts";

const FOLLOWED = `0x${"0a".repeat(20)}`;
const NEXT = `0x${"0b".repeat(20)}`;
const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Watches a registry that gives these answers in turn, the last one for ever. */
function watched(answers: readonly (string | Error)[]) {
  const [onReplaced, warn] = [vi.fn(), vi.fn()];
  let looks = 0;
  const reader = {
    identity: { addresses: { rollupAddress: FOLLOWED } } as Parameters<typeof watchCutover>[0]["identity"],
    canonicalRollup: async () => {
      const answer = answers[Math.min(looks++, answers.length - 1)];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const end = watchCutover(reader, { log: { warn, debug: () => {} }, onReplaced });
  return { onReplaced, warn, end, looks: () => looks };
}

test("a node is told once that another rollup has become the canonical one", async () => {
  const { onReplaced, warn } = watched([FOLLOWED, NEXT]);
  await vi.advanceTimersByTimeAsync(10 * MINUTE_MS);
  expect(onReplaced).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(MINUTE_MS);
  expect(onReplaced).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls).toEqual([
    [{ own: FOLLOWED, canonical: NEXT }, expect.stringContaining("ending with code 0")],
  ]);
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(onReplaced).toHaveBeenCalledTimes(1);
});

test.each<[string, (string | Error)[]]>([
  ["the followed rollup stays the canonical one", [FOLLOWED]],
  ["one answer is wrong", [NEXT, FOLLOWED]],
  ["two answers in a row name different rollups", [NEXT, `0x${"0c".repeat(20)}`, FOLLOWED]],
  ["an answer is followed by a failure", [NEXT, new Error("L1 is down"), FOLLOWED]],
])("a node goes on while %s", async (_, answers) => {
  const { onReplaced, looks } = watched(answers);
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(onReplaced).not.toHaveBeenCalled();
  expect(looks()).toBeGreaterThan(5);
});

test("nothing is asked of L1 after the end of the watch", async () => {
  const { end, looks, onReplaced } = watched([NEXT]);
  await vi.advanceTimersByTimeAsync(0);
  end();
  await vi.advanceTimersByTimeAsync(60 * MINUTE_MS);
  expect(looks()).toBe(1);
  expect(onReplaced).not.toHaveBeenCalled();
});
