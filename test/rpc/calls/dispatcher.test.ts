import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import { array } from "../../../src/rpc/codecs/json/codec.ts";
import { encodeNumber, encoder } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import { ExecutionError } from "../../../src/rpc/jsonrpc/errors.ts";
import { type Method, method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { UnknownStateError } from "../../../src/world-state/errors.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

const OPTIONS = { maxBatchSize: 100, namespaces: ["node"] as const, expectedErrors: [UnknownStateError] };

function throwing(name: string, thrown: () => unknown): Method {
  return method({
    name,
    params: [],
    handle: (): number => {
      throw thrown();
    },
    encode: { node: encodeNumber },
  });
}

function setup(methods: Method[]) {
  const log = recordingLogger();
  const dispatcher = new Dispatcher(new Registry(methods), OPTIONS, log);
  const ask = async (request: unknown) => {
    const { status, body } = await dispatcher.answerText(JSON.stringify(request));
    return { status, text: Buffer.from(body).toString() };
  };
  return { log, ask };
}

describe("request envelopes", () => {
  const one = method({ name: "one", params: [], handle: () => 1, encode: { node: encodeNumber } });
  const nothing = method({
    name: "none",
    params: [],
    handle: (): undefined => undefined,
    encode: { node: encodeNumber },
  });
  const { ask } = setup([one, nothing, throwing("fail", () => new ExecutionError("no", { data: { code: "NO" } }))]);

  test.each<[object, string]>([
    [{ method: "node_one" }, '{"jsonrpc":"2.0","result":1}'],
    [{ method: "node_one", id: null }, '{"jsonrpc":"2.0","id":null,"result":1}'],
    [{ method: "node_one", id: 1.5 }, '{"jsonrpc":"2.0","id":1.5,"result":1}'],
    [{ method: "node_one", id: true }, '{"jsonrpc":"2.0","id":true,"result":1}'],
    [{ method: "node_one", id: "ü" }, '{"jsonrpc":"2.0","id":"ü","result":1}'],
    [{ method: "node_one", jsonrpc: { x: 1 }, id: 1 }, '{"jsonrpc":{"x":1},"id":1,"result":1}'],
    [{ method: "node_one", jsonrpc: null, id: 1 }, '{"jsonrpc":null,"id":1,"result":1}'],
    [{ method: "node_one_more_pieces", id: 1 }, '{"jsonrpc":"2.0","id":1,"result":1}'],
    [{ method: "node_one", params: [1, 2], id: 1 }, '{"jsonrpc":"2.0","id":1,"result":1}'],
    [{ method: "node_none", id: 1 }, '{"jsonrpc":"2.0","id":1,"result":null}'],
    [
      { method: "node_fail", jsonrpc: "1.0", id: 1 },
      '{"jsonrpc":"1.0","id":1,"error":{"code":-32702,"data":{"code":"NO"},"message":"no"}}',
    ],
    [{ method: 5, id: 7 }, '{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request"}}'],
    [
      { method: "node_x", jsonrpc: "9", id: 7 },
      '{"jsonrpc":"9","id":7,"error":{"code":-32601,"message":"Method not found: node_x"}}',
    ],
    [
      { method: "node_one", id: 7, params: { toString: 1 } },
      '{"jsonrpc":"2.0","id":7,"error":{"code":-32702,"message":"Params to one is not an array: [object Object]"}}',
    ],
    [
      [{ method: "node_none", id: 1 }, 5, [], { method: "node_one", id: 2 }],
      '[{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid Request"},"id":null},' +
        '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","id":2,"result":1}]',
    ],
  ])("request %j gets its exact response", async (request, text) => expect((await ask(request)).text).toBe(text));

  test.each(["__proto__", "constructor", "node", "node_", "node_constructor", "node___proto__", "_one", "svc_one"])(
    "%s is not a method",
    async (name) => expect((await ask({ method: name })).text).toContain(`Method not found: ${name}`),
  );

  const NESTED_ID =
    '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id is an array or an object"},"id":null}';

  test("an id that is an array or an object is refused without being repeated, and logs no error", async () => {
    const { log } = setup([one]);
    const dispatcher = new Dispatcher(new Registry([one]), OPTIONS, log);
    for (const id of ["[]", "{}", '{"a":["ü"]}', `${"[".repeat(20_000)}${"]".repeat(20_000)}`]) {
      for (const method of ["node_one", "node_absent"]) {
        const { status, body } = await dispatcher.answerText(`{"method":"${method}","id":${id}}`);
        expect([status, Buffer.from(body).toString()]).toEqual([400, NESTED_ID]);
      }
    }
    expect(
      (
        await ask([
          { method: "node_one", id: [] },
          { method: "node_one", id: 2 },
        ])
      ).text,
    ).toBe(`[${NESTED_ID},{"jsonrpc":"2.0","id":2,"result":1}]`);
    expect(log.entries).toEqual([]);
  });

  test("an answer names at most a hundred broken rules of a call's params", async () => {
    const list = method({
      name: "list",
      params: [param("numbers", array(plainNumber()))],
      handle: (numbers) => numbers.length,
      encode: { node: encodeNumber },
    });
    const { ask } = setup([list]);
    const message = async (count: number) =>
      (
        JSON.parse((await ask({ method: "node_list", params: [Array.from({ length: count }, () => "x")] })).text) as {
          error: { message: string };
        }
      ).error.message.split(". ");
    expect(await message(100)).toHaveLength(100);
    expect((await message(20_000)).slice(99)).toEqual(["Expected number, received string (0.99)", "And more"]);
  });

  test("a method of a namespace that is not served is not found", async () => {
    const admin = method({ name: "stop", params: [], handle: () => 1, encode: { nodeAdmin: encodeNumber } });
    expect((await setup([admin]).ask({ method: "nodeAdmin_stop" })).text).toContain("Method not found");
  });

  test("a registry refuses two methods of one name", () => {
    expect(() => new Registry([one, one])).toThrow("two methods are named node_one");
  });
});

describe("failures of handlers and encoders", () => {
  const broken = method({
    name: "broken",
    params: [],
    handle: () => 1,
    encode: {
      node: encoder<number>({}, (out) => {
        out.text("[half a result");
        throw new Error("encoder gave up");
      }),
    },
  });
  const rejecting = method({
    name: "rejecting",
    params: [],
    handle: () => Promise.reject<number>(new Error("later")),
    encode: { node: encodeNumber },
  });
  const { ask, log } = setup([
    broken,
    rejecting,
    throwing("falsy", () => undefined),
    throwing("text", () => "bare text"),
    throwing("pruned", () => new UnknownStateError(3)),
    throwing("refused", () => new ExecutionError("refused")),
  ]);

  test.each([
    ["pruned", "Unable to get meta data for block 3, failed to get block data."],
    ["refused", "refused"],
  ])("a handler that refuses (%s) gives its message, and nothing is logged", async (name, message) => {
    log.entries.length = 0;
    const { status, text } = await ask({ id: 1, method: `node_${name}` });
    expect([status, JSON.parse(text)]).toEqual([400, { jsonrpc: "2.0", id: 1, error: { code: -32702, message } }]);
    expect(log.entries).toEqual([]);
  });

  test.each(["broken", "rejecting", "falsy", "text"])(
    "a handler or encoder that fails (%s) gives an error answer without its text, whose id is logged",
    async (name) => {
      log.entries.length = 0;
      const { status, text } = await ask({ id: 1, method: `node_${name}` });
      const { errorId } = log.entries[0].facts as { errorId?: string };
      expect(log.entries).toMatchObject([{ level: "error", facts: { method: `node_${name}` } }]);
      const message = `Internal error ${errorId}`;
      expect([status, JSON.parse(text)]).toEqual([400, { jsonrpc: "2.0", id: 1, error: { code: -32702, message } }]);
    },
  );
});

test("any JSON is answered by well-formed JSON-RPC without a logged error", async () => {
  const registry = publicRegistry(fakeServices());
  const log = recordingLogger();
  const dispatcher = new Dispatcher(registry, OPTIONS, log);
  const names = registry.methods.map(({ name }) => `node_${name}`);
  const scalar = fc.oneof(
    fc.constantFrom("latest", "0x", "0x1", "12", " 1", "1e9", -1, 0, 1, 51, 1.5, 1e21, 1e308, null, true, "__proto__"),
    fc.string(),
    fc.stringMatching(/^(0x)?[0-9a-f]{0,66}$/),
  );
  const params = fc.oneof(
    fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 4 }), fc.jsonValue({ maxDepth: 2 })), { maxLength: 5 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const call = fc.record(
    {
      jsonrpc: fc.jsonValue({ maxDepth: 1 }),
      id: fc.jsonValue({ maxDepth: 2 }),
      method: fc.oneof(fc.constantFrom(...names), fc.jsonValue()),
      params,
    },
    { requiredKeys: [] },
  );
  const likelyCall = fc.record({ id: fc.nat(), method: fc.constantFrom(...names), params });
  const body = fc.oneof(
    { weight: 4, arbitrary: likelyCall },
    call,
    fc.array(fc.oneof(call, likelyCall, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(body, async (request) => {
      const { status, body: answer } = await dispatcher.answerText(JSON.stringify(request));
      const parsed = JSON.parse(Buffer.from(answer).toString()) as unknown;
      const slots = Array.isArray(parsed) ? parsed : [parsed];
      if (Array.isArray(parsed)) expect(slots).toHaveLength((request as unknown[]).length);
      for (const slot of slots as Record<string, unknown>[]) {
        expect(slot).toHaveProperty("jsonrpc");
        if ("error" in slot)
          expect(slot.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
      }
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 1_500 },
  );
  expect(log.entries).toEqual([]);
});

test("any request bytes are answered", async () => {
  const dispatcher = new Dispatcher(publicRegistry(fakeServices()), OPTIONS, recordingLogger());
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
      const answer = (await dispatcher.answerText(text)) as RpcAnswer;
      JSON.parse(Buffer.from(answer.body).toString());
    }),
  );
});
