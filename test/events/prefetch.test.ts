import { expect, test } from "vitest";
import { prefetched } from "../../src/events/prefetch.ts";

async function* numbers(count: number, closed: () => void = () => {}) {
  try {
    for (let i = 0; i < count; i++) yield i;
  } finally {
    closed();
  }
}

test("prefetching keeps the order of slow loads and never exceeds its bound on concurrent loads", async () => {
  let running = 0;
  let most = 0;
  const load = async (n: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
    running--;
    return n * 2;
  };
  const results: number[] = [];
  for await (const result of prefetched(numbers(20), load, 4)) results.push(result);
  expect(results).toEqual(Array.from({ length: 20 }, (_, i) => i * 2));
  expect(most).toBe(4);
});

test("prefetching yields what precedes a failure, then throws it and closes its source", async () => {
  let closed = false;
  const load = async (n: number) => {
    if (n === 2) throw new Error("load 2");
    return n;
  };
  const results: number[] = [];
  const reading = (async () => {
    for await (const result of prefetched(
      numbers(9, () => {
        closed = true;
      }),
      load,
      3,
    ))
      results.push(result);
  })();
  await expect(reading).rejects.toThrow("load 2");
  expect(results).toEqual([0, 1]);
  expect(closed).toBe(true);
});
