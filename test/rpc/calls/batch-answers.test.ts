import { describe, expect, test } from "vitest";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { AnswerBudget, UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

let handled = 0;
const text = (length: number): string => {
  handled += 1;
  return "x".repeat(length);
};
const length = param("length", plainNumber());
const registry = new Registry([
  method({ name: "now", params: [length], handle: text, encode: { node: encodeText } }),
  method({ name: "later", params: [length], handle: async (bytes) => text(bytes), encode: { node: encodeText } }),
  method({ name: "away", params: [length], handle: text, long: () => true, encode: { node: encodeText } }),
]);
const OPTIONS = { maxBatchSize: 100, namespaces: ["node"] as const };
const MB = 1_000_000;

const there = new Calls(registry, OPTIONS, new AnswerWriter({}, recordingLogger()));
const reader = new RequestReader(there, { ...OPTIONS, budget: UNBOUNDED });
const longCalls: LongCalls = { answer: (body) => reader.read(body) };
const batch = (name: string, count: number, bytes: number) =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: `node_${name}`, params: [bytes] }));

describe.each(["now", "later", "away"])("batches of calls answered %s", (name) => {
  test.each([undefined, longCalls])(
    "a batch reserves budget for its answers while it is processed",
    async (elsewhere) => {
      const budget = new AnswerBudget(10 * MB);
      const dispatcher = new Dispatcher(registry, { ...OPTIONS, budget, longCalls: elsewhere }, recordingLogger());
      handled = 0;
      const refused = await dispatcher.answer(batch(name, 100, MB));
      expect([refused.status, JSON.parse(Buffer.from(refused.body).toString())]).toEqual([
        503,
        {
          jsonrpc: "2.0",
          id: null,
          error: { code: -32005, message: "The node is busy: there is no room for the answers of the batch" },
        },
      ]);
      // Handlers that answer at once stop being called when the budget is used up.
      if (name === "now") expect(handled).toBeLessThanOrEqual(12);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(budget.waiting).toBe(0);

      const whole = await dispatcher.answer(batch(name, 9, MB));
      const slots = JSON.parse(Buffer.from(whole.body).toString()) as { id: number; result: string }[];
      expect(slots.map(({ id, result }) => [id, result.length])).toEqual(
        Array.from({ length: 9 }, (_, id) => [id, MB]),
      );
      expect(budget.waiting).toBe(0);
    },
  );
});

test("a batch is refused when some of its answers have no room on the thread for long calls", async () => {
  const small = new RequestReader(there, { ...OPTIONS, budget: new AnswerBudget(3 * MB) });
  const budget = new AnswerBudget(1_000 * MB);
  const elsewhere: LongCalls = { answer: (body) => small.read(body) };
  const dispatcher = new Dispatcher(registry, { ...OPTIONS, budget, longCalls: elsewhere }, recordingLogger());
  const { status, body } = await dispatcher.answer(batch("away", 100, MB));
  expect([status, JSON.parse(Buffer.from(body).toString())]).toMatchObject([
    503,
    { id: null, error: { code: -32005 } },
  ]);
  await expect.poll(() => budget.waiting).toBe(0);
});

test("batches processed at the same time share one answer budget", async () => {
  const budget = new AnswerBudget(10 * MB);
  const dispatcher = new Dispatcher(registry, { ...OPTIONS, budget }, recordingLogger());
  const answers = await Promise.all(Array.from({ length: 8 }, () => dispatcher.answer(batch("later", 4, MB))));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(budget.waiting).toBe(0);
});
