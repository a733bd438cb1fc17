import { expect, test } from "vitest";
import { CALL_SECONDS, CallCounts, wireNames } from "../../../src/rpc/calls/call-counts.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { encodeNumber, encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { text } from "../../../src/rpc/codecs/json/text.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

const registry = new Registry([
  method({
    name: "height",
    params: [],
    handle: () => 7,
    encode: { node: encodeNumber },
    raw: {
      node: (_body, from, to, out) => {
        if (to - from > 2) return false;
        out.text("7");
        return true;
      },
    },
  }),
  method({
    name: "later",
    params: [param("word", text())],
    handle: async (word: string) => word,
    encode: { node: encodeText },
  }),
]);
const NAMES = wireNames(registry, ["node"]);

function counted() {
  const memory = CallCounts.memory(NAMES, 2);
  const counts = new CallCounts(memory, NAMES, 1);
  const dispatcher = new Dispatcher(registry, { namespaces: ["node"], maxBatchSize: 100, counts }, silentLogger);
  const ask = async (request: unknown) => {
    const body = Buffer.from(JSON.stringify(request));
    return dispatcher.answerBytes(body);
  };
  const read = () => new Map(new CallCounts(memory, NAMES).read().map((calls) => [calls.method, calls]));
  return { ask, read };
}

const call = (name: string, params: unknown[] = []) => ({ jsonrpc: "2.0", id: 1, method: name, params });

test("calls answered from the request's bytes, by objects and later are counted by method and outcome", async () => {
  const { ask, read } = counted();
  for (let i = 0; i < 40; i++) await ask(call("node_height"));
  await ask(call("node_height", [1, 2, 3]));
  await ask(call("node_later", ["a"]));
  await ask(call("node_later", [1]));
  await ask([call("node_later", ["a"]), call("node_height")]);
  const calls = read();
  expect(calls.get("node_height")).toMatchObject({ ok: 42, failed: 0, refused: 0, elsewhere: 0 });
  expect(calls.get("node_later")).toMatchObject({ ok: 2, failed: 1 });
  const { counts, sum } = calls.get("node_later")?.seconds ?? { counts: [], sum: 0 };
  expect(counts).toHaveLength(CALL_SECONDS.length + 1);
  expect(counts.reduce((all, count) => all + count)).toBe(3);
  expect(sum).toBeGreaterThan(0);
});

test("one in 16 calls that are answered from bytes is timed and counts for all", async () => {
  const { ask, read } = counted();
  for (let i = 0; i < 33; i++) await ask(call("node_height"));
  const { counts } = read().get("node_height")?.seconds ?? { counts: [] };
  expect(counts.reduce((all, count) => all + count)).toBe(32);
});

test("methods that do not exist are counted under one label", async () => {
  const { ask, read } = counted();
  for (let i = 0; i < 10; i++) await ask(call(`node_unknown${i}`));
  await ask({ jsonrpc: "2.0", id: 1, method: { toString: "x" } });
  expect([...read().keys()]).toEqual(["other"]);
  expect(read().get("other")).toMatchObject({ ok: 0, failed: 11 });
});
