import { expect, test } from "vitest";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";
import { HOSTILE_SHAPES } from "../../world/rpc/hostile-shapes.ts";

/**
 * Limit for 100 kB of a request of any shape, in steps of a plain loop: 5 ms on the reference machine of
 * docs/performance.md.
 */
const MAX_STEPS = 2_500_000;
/** Runs of which one must stay within the limit: load slows down some runs, a costly request slows down all. */
const MAX_RUNS = 40;

/** Milliseconds that `steps` take now, so that the machine's speed and load cancel out in the comparison. */
function loopTime(steps: number): number {
  const from = performance.now();
  let mixed = 1;
  for (let i = 0; i < steps; i++) mixed = (Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) + i) | 0;
  const ms = performance.now() - from;
  expect(Number.isInteger(mixed)).toBe(true);
  return ms;
}

const log = recordingLogger();
const registry = publicRegistry(fakeServices());
const limits = { maxBatchSize: 100, namespaces: ["svc", "node"] } as const;
const reader = new RequestReader(new Calls(registry, limits, new AnswerWriter({}, log)), {
  ...limits,
  budget: UNBOUNDED,
});
/** Does the work of the threads for long calls on the test's own thread. */
const dispatcher = new Dispatcher(registry, { ...limits, longCalls: { answer: (body) => reader.read(body) } }, log);

test("more than thirty hostile request shapes are tested", () => expect(HOSTILE_SHAPES.length).toBeGreaterThan(30));

test.each(HOSTILE_SHAPES.map((shape) => [shape.name, shape] as const))(
  "%s: 100 kB cost a thread less than a loop of 2.5 million steps, and the answer is shorter than six requests",
  async (_name, { body }) => {
    for (const size of [100_000, 240_000, 480_000]) {
      const bytes = body(size);
      const steps = (MAX_STEPS * bytes.length) / 100_000;
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < MAX_RUNS && least > 1; run++) {
        const from = performance.now();
        const answer = await dispatcher.answerBytes(bytes);
        const cost = performance.now() - from;
        least = Math.min(least, cost / loopTime(steps));
        expect(answer.body.length).toBeLessThan(6 * bytes.length);
      }
      expect(least).toBeLessThanOrEqual(1);
    }
    expect(log.entries).toEqual([]);
  },
);
