import { expect, test } from "vitest";
import { UNBOUNDED } from "../../src/rpc/http/answer-budget.ts";
import { AnswerWriter } from "../../src/rpc/jsonrpc/answer-writer.ts";
import { Calls } from "../../src/rpc/jsonrpc/calls.ts";
import { Dispatcher } from "../../src/rpc/jsonrpc/dispatcher.ts";
import { RequestReader } from "../../src/rpc/jsonrpc/request-reader.ts";
import { publicRegistry } from "../../src/rpc/methods/public-registry.ts";
import { HOSTILE_SHAPES } from "../conformance/hostile-rpc/shapes.ts";
import { fakeServices, recordingLogger } from "./support/fakes.ts";

/** Milliseconds of a thread for 100 kB of a request, whatever its shape. */
const MOST_MS = 5;
/** Runs of which the fastest counts: what others do on the machine slows some of them down, a costly request all. */
const MOST_RUNS = 40;

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
  "%s costs an RPC thread less than 5 ms for 100 kB, and is answered in less than six times its size",
  async (_name, { body }) => {
    for (const size of [100_000, 240_000, 480_000]) {
      const bytes = body(size);
      const allowed = (MOST_MS * bytes.length) / 100_000;
      let fastest = Number.POSITIVE_INFINITY;
      for (let run = 0; run < MOST_RUNS && fastest > allowed; run++) {
        const from = performance.now();
        const answer = await dispatcher.answerBytes(bytes);
        fastest = Math.min(fastest, performance.now() - from);
        expect(answer.body.length).toBeLessThan(6 * bytes.length);
      }
      expect(fastest).toBeLessThanOrEqual(allowed);
    }
    expect(log.entries).toEqual([]);
  },
);
