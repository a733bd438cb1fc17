import { expect, test } from "vitest";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { NO_ANSWER } from "../../../src/rpc/calls/notifications.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { LARGE_BODY_BYTES } from "../../../src/rpc/calls/schedule.ts";
import { encodeNothing, encodeNumber } from "../../../src/rpc/codecs/json/encoder.ts";
import { UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import type { Caller } from "../../../src/rpc/ports/caller.ts";
import { method, never, Registry } from "../../../src/rpc/registry/registry.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

const options = { maxBatchSize: 100, namespaces: ["node"] as const };
const socket: Caller = { client: () => "::1", signal: () => new AbortController().signal, sendsNotifications: true };

function setUp() {
  const ran: string[] = [];
  const run = <T>(name: string, value: T) => {
    ran.push(name);
    return value;
  };
  const encode = { node: encodeNumber };
  const registry = new Registry([
    method({ name: "plainOne", params: [], handle: () => run("plain", 1), encode }),
    method({ name: "storedOne", params: [], handle: () => run("stored", 2), encode, long: never }),
    method({ name: "longOne", params: [], handle: () => run("long", 4), encode, long: () => true }),
    method({ name: "doIt", params: [], handle: async () => run("done", undefined), encode: { node: encodeNothing } }),
    method({
      ...{ name: "rawOne", params: [], handle: () => run("raw", 3), encode },
      raw: { node: (_body, _from, _to, out) => out.text("3") !== undefined },
    }),
  ]);
  const log = recordingLogger();
  const calls = new Calls(registry, options, new AnswerWriter({}, log));
  const reader = new RequestReader(calls, { maxBatchSize: 100, budget: UNBOUNDED });
  const longCalls: LongCalls = {
    answer: async (body) => structuredClone(await reader.read(new Uint8Array(body))),
  };
  const dispatcher = new Dispatcher(registry, { ...options, longCalls }, log);
  const ask = async (request: object, caller: Caller | undefined, padding: number) => {
    const body = Buffer.from(JSON.stringify(request) + " ".repeat(padding));
    const answer = await dispatcher.answerBytes(body, undefined, caller);
    return answer === NO_ANSWER ? "no answer" : JSON.parse(Buffer.from(answer.body).toString());
  };
  return { ask, ran };
}

const call = (name: string, id?: number) => ({
  jsonrpc: "2.0",
  method: `node_${name}`,
  ...(id !== undefined && { id }),
});
const NAMES = ["plainOne", "storedOne", "doIt", "rawOne", "nosuch"];

test.each([0, LARGE_BODY_BYTES])("a long call without an id is answered over HTTP, in %i bytes", async (padding) => {
  const { ask } = setUp();
  expect(await ask(call("longOne"), undefined, padding)).toMatchObject({ result: 4 });
  expect(await ask(call("longOne"), socket, padding)).toBe("no answer");
});

test.each([0, LARGE_BODY_BYTES])("a socket's notification is run and not answered, in %i bytes", async (padding) => {
  const { ask, ran } = setUp();
  for (const name of NAMES) expect(await ask(call(name), socket, padding), name).toBe("no answer");
  expect(ran).toEqual(["plain", "stored", "done", "raw"]);
  expect(await ask(call("rawOne", 7), socket, padding)).toEqual({ jsonrpc: "2.0", id: 7, result: 3 });
  const invalid = { error: { code: -32600 } };
  expect(await ask({ jsonrpc: "2.0", method: 5 }, socket, padding)).toMatchObject(invalid);
});

test.each([0, LARGE_BODY_BYTES])(
  "a socket's batch has no answers to its notifications, in %i bytes",
  async (padding) => {
    const { ask, ran } = setUp();
    expect(
      await ask(
        NAMES.map((name) => call(name)),
        socket,
        padding,
      ),
    ).toBe("no answer");
    const mixed = NAMES.flatMap((name, id) => [call(name), call(name, id)]);
    const answers = (await ask(mixed, socket, padding)) as { id: number; result?: unknown }[];
    expect(answers.map(({ id, result }) => [id, result])).toEqual([
      [0, 1],
      [1, 2],
      [2, null],
      [3, 3],
      [4, undefined],
    ]);
    expect(ran.filter((name) => name === "done")).toHaveLength(3);
  },
);

test("over HTTP a call without an id is answered", async () => {
  const { ask } = setUp();
  expect(await ask(call("plainOne"), undefined, 0)).toEqual({ jsonrpc: "2.0", result: 1 });
  expect(await ask([call("rawOne")], undefined, 0)).toEqual([{ jsonrpc: "2.0", result: 3 }]);
});
