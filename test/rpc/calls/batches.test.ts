import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { LARGE_BODY_BYTES } from "../../../src/rpc/calls/schedule.ts";
import { encodeArray, encodeNothing, encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { text as textCodec } from "../../../src/rpc/codecs/json/text.ts";
import { ExecutionError } from "../../../src/rpc/jsonrpc/errors.ts";
import { UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import { method, never, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const options = { maxBatchSize: 100, namespaces: ["node"] as const };

/** `add` takes some turns of the event loop before `list`, `readList` and `rawList` see what it did. */
function setUp(where: { elsewhere: boolean }) {
  const list: string[] = [];
  let most = 0;
  let underWay = 0;
  const add = async (text: string): Promise<undefined> => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    underWay -= 1;
    if (text === "bad") throw new ExecutionError("no");
    list.push(text.slice(0, 10));
  };
  const encode = { node: encodeArray(encodeText) };
  const registry = new Registry([
    method({ name: "addText", params: [param("text", textCodec())], handle: add, encode: { node: encodeNothing } }),
    method({ name: "list", params: [], handle: async () => [...list], encode }),
    method({ name: "readList", params: [], handle: () => [...list], encode, keep: () => "commit" }),
    method({
      ...{ name: "rawList", params: [], handle: () => [...list], encode },
      raw: { node: (_body, _from, _to, out) => out.text(JSON.stringify(list)) !== undefined },
    }),
    method({ name: "ofStore", params: [], handle: () => "stored", encode: { node: encodeText }, long: never }),
  ]);
  const log = recordingLogger();
  const reader = new RequestReader(new Calls(registry, options, new AnswerWriter({}, log)), {
    ...{ maxBatchSize: 100, budget: UNBOUNDED },
  });
  const longCalls: LongCalls = {
    answer: async (body) => structuredClone(await reader.read(new Uint8Array(body))),
  };
  const dispatcher = new Dispatcher(registry, { ...options, ...(where.elsewhere && { longCalls }) }, log);
  const ask = async (calls: [name: string, ...params: string[]][]) => {
    const batch = calls.map(([name, ...params], id) => ({ jsonrpc: "2.0", id, method: `node_${name}`, params }));
    const { body } = await dispatcher.answerBytes(Buffer.from(JSON.stringify(batch)));
    return (JSON.parse(Buffer.from(body).toString()) as { result?: unknown; error?: { message: string } }[]).map(
      ({ result, error }) => error?.message ?? result,
    );
  };
  return { ask, most: () => most };
}

test.each([
  ["one thread", { elsewhere: false }, 1],
  ["a thread for long calls beside", { elsewhere: true }, 1],
  ["its body read on another thread", { elsewhere: true }, LARGE_BODY_BYTES],
])("calls of a batch see the effects of those before, with %s", async (_, where, length) => {
  const { ask, most } = setUp(where);
  const text = (letter: string) => letter.repeat(length);
  const short = (letters: string) => [...letters].map((letter) => letter.repeat(Math.min(length, 10)));
  const answers = await ask([
    ["rawList"],
    ["addText", text("a")],
    ["addText", text("b")],
    ["list"],
    ["readList"],
    ["addText", "bad"],
    ["ofStore"],
    ["addText", text("c")],
    ["rawList"],
    ["nosuch"],
  ]);
  expect(answers).toEqual([
    [],
    null,
    null,
    short("ab"),
    short("ab"),
    "no",
    "stored",
    null,
    short("abc"),
    "Method not found: node_nosuch",
  ]);
  // Neighbouring calls with an effect run at the same time.
  expect(most()).toBe(2);
});
