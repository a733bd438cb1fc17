import { describe, expect, test, vi } from "vitest";
import { ResultCache } from "../../../src/rpc/cache/result-cache.ts";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { LongCalls, ReadRequest } from "../../../src/rpc/calls/long-calls.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { LARGE_BODY_BYTES, LARGE_SERVICE_BODY_BYTES } from "../../../src/rpc/calls/schedule.ts";
import { array } from "../../../src/rpc/codecs/json/codec.ts";
import { encodeNumber, encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { LIMIT_EXCEEDED, RpcError } from "../../../src/rpc/jsonrpc/errors.ts";
import { UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { startRpcServer } from "../../../src/rpc/server/rpc-server.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

/** Bytes passed to `requestShape`: in all, and on the receiving side only (`here`). */
const looked = vi.hoisted(() => ({ bytes: 0, here: 0, elsewhere: false }));
vi.mock("../../../src/rpc/calls/request-shape.ts", async (original) => {
  const { requestShape } = await original<typeof import("../../../src/rpc/calls/request-shape.ts")>();
  const counted: typeof requestShape = (body, most) => {
    looked.bytes += body.length;
    if (!looked.elsewhere) looked.here += body.length;
    return requestShape(body, most);
  };
  return { requestShape: counted };
});

/** Calls that reached a handler, on either side. */
let handled = 0;

/** Blocks the thread for `ms` milliseconds. */
function work(ms: number): number {
  handled += 1;
  const end = performance.now() + ms;
  while (performance.now() < end);
  return ms;
}

const numbers = param("numbers", array(plainNumber()));
const registry = new Registry([
  method({
    name: "work",
    params: [param("ms", plainNumber())],
    handle: work,
    long: (ms) => ms > 1,
    encode: { node: encodeNumber },
  }),
  method({
    name: "sum",
    params: [numbers],
    handle: (all) => {
      handled += 1;
      return all.reduce((a, b) => a + b, 0);
    },
    encode: { node: encodeNumber },
  }),
  method({ name: "status", params: [], handle: async () => "live", encode: { node: encodeText } }),
]);
const options = { maxBatchSize: 1_000, namespaces: ["node"] as const };

function setUp(overrides: Partial<LongCalls> = {}) {
  const there = new Dispatcher(registry, options, recordingLogger());
  const writer = new AnswerWriter({}, recordingLogger());
  const reader = new RequestReader(new Calls(registry, options, writer), { maxBatchSize: 1_000, budget: UNBOUNDED });
  const sent: string[] = [];
  const text = (body: Uint8Array) => {
    sent.push(Buffer.from(body).toString());
    return sent[sent.length - 1];
  };
  const longCalls: LongCalls = {
    answer: async (body) => {
      looked.elsewhere = true;
      const read = reader.read(Buffer.from(text(body)));
      looked.elsewhere = false;
      return structuredClone(await read);
    },
    ...overrides,
  };
  const log = recordingLogger();
  return { here: new Dispatcher(registry, { ...options, longCalls }, log), there, sent, log };
}

const call = (name: string, params: unknown[], id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method: `node_${name}`,
  params,
});
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const answers = (...texts: string[]): ReadRequest => ({
  isBatch: true,
  slots: texts.map((text) => ({ status: 200, body: Buffer.from(text) })),
  notifications: [],
});
const shown = async (answer: ReturnType<Dispatcher["answerBytes"]>) => {
  const { status, body } = await answer;
  return [status, Buffer.from(body).toString()];
};

describe("long calls", () => {
  test("long calls are answered elsewhere with the same answers, and short ones here", async () => {
    const { here, there, sent } = setUp();
    for (const value of [
      call("work", [0]),
      call("work", [2], "x"),
      call("work", ["2"]),
      { ...call("work", [2]), jsonrpc: "1.0", id: "1" },
      call("status", []),
      [call("work", [2], 1), call("sum", [[1, 2]], 2), call("work", [0], 3), null],
    ]) {
      expect(await shown(here.answerBytes(bytes(value)))).toEqual(await shown(there.answerBytes(bytes(value))));
    }
    expect(sent.filter((text) => !text.includes("node_work"))).toEqual([]);
    expect(sent.length).toBeGreaterThan(0);
  });

  test("long calls are refused with 503 when there is no room for them", async () => {
    const refuse = () => Promise.reject(new RpcError(LIMIT_EXCEEDED, "The node is busy"));
    const { here, log } = setUp({ answer: refuse });
    const error = '"error":{"code":-32005,"message":"The node is busy"}}';
    expect(await shown(here.answer(call("work", [5])))).toEqual([503, `{"jsonrpc":"2.0","id":1,${error}`]);
    const large = bytes(call("work", [0]))
      .toString()
      .padEnd(LARGE_BODY_BYTES);
    expect(await shown(here.answerBytes(Buffer.from(large)))).toEqual([503, `{"jsonrpc":"2.0","id":null,${error}`]);
    expect(log.entries).toEqual([]);
  });

  test("a large body is read elsewhere, and calls of local services in it are answered here", async () => {
    const { here, there, sent } = setUp();
    const many = call("sum", [Array.from({ length: 60_000 }, (_, i) => i)]);
    expect(await shown(here.answerBytes(bytes(many)))).toEqual(await shown(there.answer(many)));
    expect(sent[0].length).toBeGreaterThan(LARGE_SERVICE_BODY_BYTES);
    const live = { ...call("status", []), padding: "x".repeat(LARGE_SERVICE_BODY_BYTES) };
    expect(await shown(here.answerBytes(bytes(live)))).toEqual([200, '{"jsonrpc":"2.0","id":1,"result":"live"}']);
  });

  test("a medium body that only local services can answer is read here at once", async () => {
    const { here, there, sent } = setUp();
    const padding = "x".repeat(LARGE_BODY_BYTES);
    const few = { ...call("sum", [Array.from({ length: 4_000 }, () => 1)]), padding };
    for (const value of [{ ...call("status", []), padding }, few]) {
      expect(await shown(here.answerBytes(bytes(value)))).toEqual(await shown(there.answer(value)));
    }
    expect(sent).toEqual([]);
    await here.answerBytes(bytes({ ...call("work", [0]), padding }));
    await here.answerBytes(bytes({ padding, ...call("sum", [[1]]) }));
    expect(new Set(sent).size).toBe(2);
  });

  test("a body of many values is read elsewhere even if only local services can answer it", async () => {
    const { here, there, sent } = setUp();
    const many = call("sum", [Array.from({ length: 40_000 }, () => 1)]);
    expect(bytes(many).length).toBeLessThan(LARGE_SERVICE_BODY_BYTES);
    expect(await shown(here.answerBytes(bytes(many)))).toEqual(await shown(there.answer(many)));
    expect(sent).toHaveLength(1);
  });

  test("calls of a large batch are counted here, and read elsewhere if the client's rate limit admits them", async () => {
    const { here, sent } = setUp();
    const batch = bytes(Array.from({ length: 900 }, (_, i) => ({ ...call("sum", [[i]], i), padding: "x".repeat(50) })));
    expect(batch.length).toBeGreaterThan(LARGE_BODY_BYTES);
    let counted = 0;
    const [status] = await shown(
      here.answerBytes(batch, (further) => {
        counted = further;
        return undefined;
      }),
    );
    expect([status, counted, sent.length]).toEqual([200, 899, 1]);
    const refusal = { status: 429, body: new Uint8Array() };
    expect(here.answerBytes(batch, () => refusal)).toBe(refusal);
    expect(sent).toHaveLength(1);
  });

  test("a large body is scanned and parsed once, and not on the receiving thread", async () => {
    const padding = "x".repeat(LARGE_SERVICE_BODY_BYTES);
    const bodies = [
      { ...call("status", [], "a"), padding },
      { padding, ...call("sum", [[1, 2]]) },
      { padding, ...call("sum", [["1"]]) },
      { padding, ...call("status", []), jsonrpc: { n: 1 }, id: undefined },
      { ...call("status", [], padding) },
      [{ ...call("sum", [[1, 2]], 7), padding }, call("work", [0]), call("status", []), 5, call("nothing", [])],
    ];
    const { here, there } = setUp();
    const parse = vi.spyOn(JSON, "parse");
    try {
      for (const value of bodies) {
        const text = bytes(value);
        const expected = await shown(there.answerBytes(text));
        Object.assign(looked, { bytes: 0, here: 0 });
        parse.mockClear();
        expect(await shown(here.answerBytes(text))).toEqual(expected);
        const parsed = parse.mock.calls.map(([given]) => given.length);
        expect([looked.bytes, parsed]).toEqual([text.length, [text.length]]);
        expect(looked.here).toBe(0);
      }
    } finally {
      parse.mockRestore();
    }
  });

  test("a batch with long calls keeps the order of its answers and yields the thread", async () => {
    const { here, there } = setUp({
      // These answers arrive after those of the later calls.
      answer: async (calls) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        const items: { id: number }[] = JSON.parse(Buffer.from(calls).toString());
        return answers(...items.map(({ id }) => `{"jsonrpc":"2.0","id":${id},"result":1}`));
      },
    });
    const batch = Array.from({ length: 60 }, (_, i) =>
      i % 3 === 0 ? call("work", [1], i) : i % 3 === 1 ? call("sum", [[i, i]], i) : call("status", [], i),
    );
    let turns = 0;
    const turn = setInterval(() => (turns += 1), 0);
    const answered = await shown(here.answerBytes(bytes(batch)));
    clearInterval(turn);
    expect(answered).toEqual(await shown(there.answer(batch)));
    expect(turns).toBeGreaterThan(0);
  });

  test("the receiving thread does next to nothing for long calls", async () => {
    const handed: string[] = [];
    const { here } = setUp({
      answer: async (body) => {
        const text = Buffer.from(body).toString();
        handed.push(text);
        return answers(...[JSON.parse(text)].flat().map(() => ""));
      },
    });
    const long = bytes(call("work", [50]));
    const many = bytes(call("sum", [Array.from({ length: 60_000 }, (_, i) => i)]));
    for (const body of [long, many]) {
      handled = 0;
      handed.length = 0;
      await here.answerBytes(body);
      expect(handled).toBe(0);
      expect(handed.map((text) => text.length)).toEqual([body.length]);
    }
    const deep = Buffer.from(`{"method":"node_sum","params":${"[".repeat(400_000)}${"]".repeat(400_000)}}`);
    expect(await shown(setUp().here.answerBytes(deep))).toEqual([
      400,
      expect.stringContaining("nests deeper than 64 levels"),
    ]);
    expect(handled).toBe(0);
    handed.length = 0;
    await here.answerBytes(bytes(Array.from({ length: 1_000 }, (_, i) => call("work", [1], i))));
    // One call takes as long as a whole time slice.
    expect(handled).toBeLessThanOrEqual(2);
    expect(handed.flatMap((text) => JSON.parse(text))).toHaveLength(1_000 - handled);
  });
});

test("a long call whose result may be kept is made for its client, and given up when that leaves", async () => {
  const asked: { client: string; signal?: AbortSignal }[] = [];
  const longCalls: LongCalls = {
    answer: (_body, client, signal) => {
      asked.push({ client, signal });
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("left"))));
    },
  };
  const kept = method({
    name: "listing",
    params: [],
    handle: () => "",
    long: () => true,
    keep: () => "commit",
    encode: { node: encodeText },
  });
  const cached = { version: () => 1, latestBlockNumber: () => 0, blockHash: () => undefined };
  const results = new ResultCache({ maxBytes: 1 << 20, chain: cached });
  const server = {
    listen: { host: "127.0.0.1", port: 0 },
    serve: { namespaces: ["node"] as const },
    cache: { results },
    forward: { longCalls },
  };
  const listener = await startRpcServer(new Registry([kept]), server, recordingLogger());
  try {
    const leaving = new AbortController();
    const left = fetch(`http://127.0.0.1:${listener.port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"jsonrpc":"2.0","id":1,"method":"node_listing","params":[]}',
      signal: leaving.signal,
    }).catch(() => "left");
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0].client).toBe("127.0.0.1");
    expect(asked[0].signal?.aborted).toBe(false);
    leaving.abort();
    expect(await left).toBe("left");
    await expect.poll(() => asked[0].signal?.aborted).toBe(true);
  } finally {
    await listener.close(0);
  }
});
