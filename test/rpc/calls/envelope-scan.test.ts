import fc from "fast-check";
import { expect, test } from "vitest";
import { ResultCache } from "../../../src/rpc/cache/result-cache.ts";
import { ownBody } from "../../../src/rpc/calls/answer-sink.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import {
  EnvelopeScan,
  MAX_BATCH_BYTES,
  MAX_BATCHED_BYTES,
  MAX_SCANNED_BYTES,
} from "../../../src/rpc/calls/envelope-scan.ts";
import { MethodTable } from "../../../src/rpc/calls/method-table.ts";
import { ScannedBatch } from "../../../src/rpc/calls/scanned-batch.ts";
import { encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import type { RpcAnswer } from "../../../src/rpc/jsonrpc/answer.ts";
import { method, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { chain } from "../../world/rpc/development-chain.ts";
import { fakeServices, fakeWorld, recordingLogger } from "../../world/rpc/fakes.ts";

const anything = { read: (value: unknown) => value };
/** A method that returns its params, from its fast form where possible. */
const shown = method({
  name: "shown",
  params: [param("first", anything), param("second", anything)],
  handle: (first, second) => JSON.stringify([first, second]),
  encode: { node: encodeText, svc: encodeText },
  raw: {
    node: (body, from, to, out) => {
      const text = Buffer.from(body).toString("latin1", from, to);
      if (/[^ -~\s]|\\/.test(text)) return false;
      const params: unknown[] = JSON.parse(text || "[]");
      out.text('"half');
      if (params.length === 3) throw new Error("not for the client");
      if (params.length !== 2) return false;
      out.rewind(out.length - 5);
      out.value(JSON.stringify(params));
      return true;
    },
  },
});

const wide = method({
  name: "wide",
  params: [],
  handle: () => "w".repeat(100_000),
  keep: () => 0,
  encode: { node: encodeText },
});

const registry = new Registry([...publicRegistry(fakeServices({ chain, world: fakeWorld(3) })).methods, shown, wide]);
const METHOD_TABLE = new MethodTable(registry, ["svc", "node"]);

function dispatcher() {
  const results = new ResultCache({
    maxBytes: 1 << 20,
    chain: {
      version: () => 1,
      latestBlockNumber: () => 3,
      blockHash: (number) => chain.block(number)?.hash,
    },
  });
  return new Dispatcher(registry, { maxBatchSize: 10, namespaces: ["svc", "node"], results }, recordingLogger());
}

const METHODS = [
  "node_getBlockNumber",
  "svc_getBlockNumber",
  "node_getBlock",
  "svc_getBlock",
  "node_getBlocks",
  "node_getBlockHeader",
  "node_getVersion",
  "svc_getCheckpoint",
  "node_getL2Tips",
  "node_getPublicDataWitness",
  "node_shown",
  "svc_shown",
  "node_nothing",
  "node_getBlockNumber_further",
  "rpc.discover",
  "",
];
const blank = fc.constantFrom("", "", "", " ", "\n", "\t ", "\r\n");
const integer = fc.oneof(fc.nat(5), fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -0, 1e21, 2 ** 60));
const parameter = fc.oneof(
  integer.map(String),
  fc.constantFrom(
    '"latest"',
    '"proven"',
    "null",
    "true",
    "1.5",
    "-0",
    "01",
    "1e3",
    "2E+2",
    "{}",
    "[]",
    '{"number":1}',
    "tru",
  ),
  fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0031"', '"\\n"', '"é"', '"\u0000"', '"', `"0x${"00".repeat(31)}11"`),
  fc.json({ maxDepth: 3 }),
);
const params = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(parameter, { maxLength: 3 }), blank)
      .map(([items, gap]) => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("{}", "null", '"x"', "[", "[1,]", "[,1]", "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]"),
  },
);
const id = fc.oneof(
  integer.map((number) => JSON.stringify(number)),
  fc.string({ maxLength: 10 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    "null",
    "true",
    "1.0",
    "-1",
    "-0",
    "00",
    "1e2",
    "999999999999999",
    "9999999999999999",
    "{}",
    "[1]",
    `"${"x".repeat(65)}"`,
  ),
);
const version = fc.oneof(
  { weight: 8, arbitrary: fc.constant('"2.0"') },
  { weight: 1, arbitrary: fc.constantFrom('"1.0"', "2.0", "null", '"2.0\\n"') },
);
const member = (name: string, value: fc.Arbitrary<string>) =>
  fc.tuple(blank, blank, value).map(([before, after, text]) => `"${name}"${before}:${after}${text}`);
const envelope = fc
  .tuple(
    fc.shuffledSubarray(
      [
        member("jsonrpc", version),
        member("id", id),
        member(
          "method",
          fc.constantFrom(...METHODS).map((name) => JSON.stringify(name)),
        ),
        member("params", params),
        member("params", params),
        member("further", fc.constant("1")),
      ],
      { minLength: 2, maxLength: 5 },
    ),
    blank,
    blank,
  )
  .chain(([members, before, after]) =>
    fc.tuple(...members).map((texts) => `${before}{${before}${texts.join(`${after},${before}`)}${after}}${after}`),
  );
const ordinary = fc
  .tuple(id, fc.constantFrom(...METHODS), params)
  .map(([i, name, list]) => `{"jsonrpc":"2.0","id":${i},"method":"${name}","params":${list}}`);
/** A request with some characters changed. */
const spoiled = fc
  .tuple(
    fc.oneof(envelope, ordinary),
    fc.nat(),
    fc.constantFrom("", ",", "}", '"', "\\", "0", "é", "\u007f", "\u0001", "]"),
  )
  .map(([text, at, with_]) => text.slice(0, at % text.length) + with_ + text.slice((at % text.length) + 1));
const request = fc.oneof(
  { weight: 3, arbitrary: ordinary },
  { weight: 3, arbitrary: envelope },
  { weight: 2, arbitrary: spoiled },
);

const shownAnswer = async (given: RpcAnswer | Promise<RpcAnswer>) => {
  const answer = given instanceof Promise ? await given : given;
  return [answer.status, Buffer.from(ownBody(answer)).toString()];
};

test("a scanned request gets the same bytes as a parsed one, cached or not", async () => {
  const [scanning, general] = [dispatcher(), dispatcher()];
  let scanned = 0;
  await fc.assert(
    fc.asyncProperty(request, async (text) => {
      const body = new TextEncoder().encode(text);
      const expected = await shownAnswer(general.answerText(text));
      if (new EnvelopeScan().scan(body)) scanned += 1;
      for (let times = 0; times < 2; times++) {
        expect(await shownAnswer(scanning.answerBytes(body)), text).toEqual(expected);
      }
    }),
    { numRuns: 6_000 },
  );
  expect(scanned).toBeGreaterThan(500);
});

test("the scan accepts only JSON objects with a method, and finds its parts", () => {
  const scan = new EnvelopeScan();
  fc.assert(
    fc.property(fc.oneof(spoiled, fc.string(), fc.json()), (text) => {
      const body = new TextEncoder().encode(text);
      if (!scan.scan(body)) return;
      const parsed = JSON.parse(text);
      const part = (from: number, to: number) => Buffer.from(body).toString("latin1", from, to);
      expect(part(scan.methodFrom, scan.methodTo)).toBe(parsed.method);
      expect(scan.paramsTo === 0 ? undefined : JSON.parse(part(scan.paramsFrom, scan.paramsTo))).toEqual(parsed.params);
      expect(scan.idTo === 0 ? undefined : part(scan.idFrom, scan.idTo)).toBe(
        parsed.id === undefined ? undefined : JSON.stringify(parsed.id),
      );
    }),
    { numRuns: 6_000 },
  );
});

test("a batch gets the answers of its single calls, cached or not", async () => {
  const [keeping, general] = [dispatcher(), dispatcher()];
  let deep: unknown = 1;
  for (let i = 0; i < 20_000; i++) deep = [deep];
  const item = fc
    .tuple(fc.constantFrom(...METHODS), params, fc.constantFrom<unknown>(1, "a", null, undefined, deep))
    .map(([name, list, number]) => {
      let parsed: unknown;
      try {
        parsed = JSON.parse(list);
      } catch {
        parsed = list;
      }
      return { jsonrpc: "2.0", id: number, method: name, params: parsed };
    });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 4 }), async (batch) => {
      // Single parsed calls do not fill the cache.
      const alone = await Promise.all(batch.map(async (request) => shownAnswer(await general.answer(request))));
      const [, text] = await shownAnswer(await keeping.answer(batch));
      expect(text).toBe(`[${alone.map(([, body]) => body).join(",")}]`);
    }),
    { numRuns: 1_000 },
  );
});

test("a scanned batch gets the same bytes as a parsed one, cached or not", async () => {
  const [scanning, general] = [dispatcher(), dispatcher()];
  let scanned = 0;
  const usual = fc
    .tuple(
      fc.constantFrom("1", '"a"', "null", "999999999999999"),
      fc.constantFrom(...METHODS.filter((name) => name.length >= 8)),
      fc.oneof(
        fc.constantFrom("[]", "[1]", "[1,2]", '["latest"]', "[ 1 ]", "[1,2,3]", `["latest","0x${"00".repeat(31)}11"]`),
        params,
      ),
    )
    .map(([i, name, list]) => `{"jsonrpc":"2.0","id":${i},"method":"${name}","params":${list}}`);
  const list = fc
    .tuple(fc.array(fc.oneof({ weight: 9, arbitrary: usual }, request), { maxLength: 12 }), blank)
    .map(([items, gap]) => `${gap}[${gap}${items.join(`${gap},${gap}`)}${gap}]${gap}`);
  await fc.assert(
    fc.asyncProperty(list, async (text) => {
      const body = new TextEncoder().encode(text);
      if (ScannedBatch.of(body, METHOD_TABLE, { maxBatchSize: 10 }) !== undefined) scanned += 1;
      const expected = await shownAnswer(general.answerText(text));
      for (let times = 0; times < 2; times++) {
        expect(await shownAnswer(scanning.answerBytes(body)), text).toEqual(expected);
      }
    }),
    { numRuns: 3_000 },
  );
  expect(scanned).toBeGreaterThan(300);
});

test("a batch is scanned up to the permitted number of calls, length of a call and length in all", () => {
  const call = '{"method":"node_getVersion"}';
  const isScanned = (text: string) =>
    ScannedBatch.of(Buffer.from(text), METHOD_TABLE, { maxBatchSize: 10 }) !== undefined;
  const calls = (count: number) => `[${Array.from({ length: count }, () => call).join(",")}]`;
  expect([calls(0), calls(1), calls(10), calls(11)].map(isScanned)).toEqual([false, true, true, false]);
  const padded = (length: number) => `[${call.slice(0, -1).padEnd(length - 1)}}]`;
  expect([padded(MAX_BATCHED_BYTES), padded(MAX_BATCHED_BYTES + 1)].map(isScanned)).toEqual([true, false]);
  expect([calls(2).padEnd(MAX_BATCH_BYTES), calls(2).padEnd(MAX_BATCH_BYTES + 1)].map(isScanned)).toEqual([
    true,
    false,
  ]);
});

test("a long cached result is answered in parts that make up the same bytes", async () => {
  const scanning = dispatcher();
  const body = Buffer.from('{"id":"a","method":"node_wide","params":[]}');
  const expected = await shownAnswer(dispatcher().answerText(body.toString()));
  const first = await scanning.answerBytes(body);
  expect(first.end).toBeUndefined();
  const [again, other] = [
    await scanning.answerBytes(body),
    await scanning.answerBytes(Buffer.from(body.toString().replace("a", "b"))),
  ];
  expect([again.end, other.end]).toEqual([expect.any(Uint8Array), expect.any(Uint8Array)]);
  for (const answer of [first, again]) expect(await shownAnswer(answer)).toEqual(expected);
});

test("a body over the scan limit is not scanned", () => {
  const text = '{"method":"node_getVersion"}';
  const scan = new EnvelopeScan();
  expect(scan.scan(Buffer.from(text.padEnd(MAX_SCANNED_BYTES)))).toBe(true);
  expect(scan.scan(Buffer.from(text.padEnd(MAX_SCANNED_BYTES + 1)))).toBe(false);
});
