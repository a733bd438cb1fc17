import { expect, test } from "vitest";
import { UNBOUNDED } from "../../src/rpc/http/answer-budget.ts";
import { AnswerWriter } from "../../src/rpc/jsonrpc/answer-writer.ts";
import { Calls } from "../../src/rpc/jsonrpc/calls.ts";
import { Dispatcher } from "../../src/rpc/jsonrpc/dispatcher.ts";
import { RequestReader } from "../../src/rpc/jsonrpc/request-reader.ts";
import { publicRegistry } from "../../src/rpc/methods/public-registry.ts";
import { HOSTILE_SHAPES } from "../conformance/hostile-rpc/shapes.ts";
import { fakeServices, recordingLogger } from "./support/fakes.ts";

/**
 * Steps of a plain loop that take a thread as long as 100 kB of a request may, whatever its shape: 5 ms of the machine
 * of docs/performance.md.
 */
const MOST_STEPS = 2_500_000;
/**
 * Runs of which one has to do: what others do on the machine slows some of them down, a costly request is so each time.
 */
const MOST_RUNS = 40;

/**
 * Milliseconds that a number of steps takes now. The machine's speed and load are in it as they are in a request that
 * takes about as long.
 */
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
/** Does on its own thread what threads for long calls do too. */
const dispatcher = new Dispatcher(
  registry,
  { ...limits, longCalls: { answer: (body) => reader.read(body), answerEach: async () => [] } },
  log,
);

test("there are more than thirty hostile shapes", () => expect(HOSTILE_SHAPES.length).toBeGreaterThan(30));

test.each(HOSTILE_SHAPES.map((shape) => [shape.name, shape] as const))(
  "%s costs a thread less than a loop of 2.5 million steps for 100 kB, and is answered in less than six times its size",
  async (_name, { body }) => {
    for (const size of [100_000, 240_000, 480_000]) {
      const bytes = body(size);
      const steps = (MOST_STEPS * bytes.length) / 100_000;
      let least = Number.POSITIVE_INFINITY;
      for (let run = 0; run < MOST_RUNS && least > 1; run++) {
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
