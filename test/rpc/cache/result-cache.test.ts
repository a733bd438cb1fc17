import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { type Lifetime, ResultCache } from "../../../src/rpc/cache/result-cache.ts";

/** A chain of numbered blocks; a block's hash is the list of numbers up to it. */
function chainOf() {
  const blocks: number[] = [0];
  const state = { version: 0, blocks };
  const hash = (number: number) => Buffer.from(blocks.slice(0, number + 1).join());
  return {
    state,
    hash,
    reader: {
      version: () => state.version,
      latestBlockNumber: () => blocks.length - 1,
      blockHash: (number: number) => (number < blocks.length ? hash(number) : undefined),
    },
  };
}

test("the result cache never answers from a former state of the chain, through any commits and reorgs", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("grow" as const), count: fc.integer({ min: 1, max: 3 }) }),
    fc.record({
      kind: fc.constant("reorg" as const),
      depth: fc.integer({ min: 1, max: 4 }),
      count: fc.integer({ min: 0, max: 5 }),
    }),
    fc.record({ kind: fc.constant("commit" as const) }),
    { weight: 8, arbitrary: fc.record({ kind: fc.constant("ask" as const), block: fc.nat(6) }) },
    /** A commit between the check of the version and the read. */
    fc.record({ kind: fc.constant("race" as const), block: fc.nat(6), depth: fc.nat(3), count: fc.nat(4) }),
  );
  let hits = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const { state, hash, reader } = chainOf();
      const cache = new ResultCache({ maxBytes: 100_000, chain: reader });
      const [byNumber, tip] = [new Map(), new Map()];
      let name = 0;
      const change = (depth: number, count: number) => {
        state.blocks.splice(Math.max(1, state.blocks.length - depth));
        for (let i = 0; i < count; i++) state.blocks.push(++name);
      };
      const ask = (
        results: Map<string, unknown>,
        key: string,
        read: () => [string, Lifetime] | undefined,
        between?: () => void,
      ) => {
        cache.renew();
        const found = cache.get(results, key);
        if (found !== undefined) {
          hits += 1;
          return Buffer.from(found).toString();
        }
        between?.();
        const result = read();
        if (result !== undefined) cache.put(results, key, Buffer.from(result[0]), result[1]);
        return result?.[0];
      };
      const block = (number: number, between?: () => void) =>
        ask(
          byNumber,
          `[${number}]`,
          () => (number < state.blocks.length ? [hash(number).toString(), number] : undefined),
          between,
        );
      for (const s of steps) {
        if (s.kind === "grow" || s.kind === "reorg") change(s.kind === "grow" ? 0 : s.depth, s.count);
        if (s.kind === "race") block(s.block, () => change(s.depth, s.count));
        if (s.kind !== "ask") state.version += 1;
        if (s.kind === "ask") {
          const expected = s.block < state.blocks.length ? hash(s.block).toString() : undefined;
          expect(block(s.block)).toBe(expected);
          expect(ask(tip, "[]", () => [String(state.blocks.length), "commit"])).toBe(String(state.blocks.length));
        }
      }
    }),
    { numRuns: 500 },
  );
  expect(hits).toBeGreaterThan(500);
});

test("the result cache stays within its bound and keeps results in use", () => {
  const { reader } = chainOf();
  const cache = new ResultCache({ maxBytes: 20_000, chain: reader });
  cache.renew();
  const results = new Map();
  const text = Buffer.alloc(700, "x");
  cache.put(results, "wanted", text, 0);
  for (let i = 0; i < 200; i++) {
    expect(cache.get(results, "wanted")).toEqual(new Uint8Array(text));
    cache.put(results, `other ${i}`, text, 0);
    expect(cache.bytes).toBeLessThanOrEqual(20_000);
  }
  expect(cache.size).toBe(results.size);
  expect(cache.size).toBeGreaterThan(10);
  cache.put(results, "large", Buffer.alloc(5_000), 0);
  expect(cache.get(results, "large")).toBeUndefined();
});

test("evicted results are freed without waiting for the next commit", async () => {
  const cache = new ResultCache({ maxBytes: 1_000_000, chain: chainOf().reader });
  cache.renew();
  const results = new Map();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const buffers = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = buffers();
  for (let i = 0; i < 1_000; i++) cache.put(results, String(i), new Uint8Array(100_000), "commit");
  expect(cache.bytes).toBeLessThanOrEqual(1_000_000);
  // V8 frees collected buffers on background threads, which may take a while.
  await vi.waitFor(() => expect(buffers() - before).toBeLessThan(20_000_000), { timeout: 60_000 });
  expect(cache.size).toBeGreaterThan(0);
});

test("the result cache keeps copies", () => {
  const { reader } = chainOf();
  const cache = new ResultCache({ maxBytes: 20_000, chain: reader });
  cache.renew();
  const results = new Map();
  const text = Buffer.from("first");
  cache.put(results, "[]", text, 0);
  text.fill("x");
  expect(Buffer.from(cache.get(results, "[]") ?? []).toString()).toBe("first");
});
