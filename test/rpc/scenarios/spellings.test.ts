import { expect, test } from "vitest";
import { ResultCache } from "../../../src/rpc/cache/result-cache.ts";
import { AnswerWriter } from "../../../src/rpc/calls/answer-writer.ts";
import { CallCounts, wireNames } from "../../../src/rpc/calls/call-counts.ts";
import { Calls } from "../../../src/rpc/calls/calls.ts";
import { Dispatcher } from "../../../src/rpc/calls/dispatcher.ts";
import type { LongCalls } from "../../../src/rpc/calls/long-calls.ts";
import { RequestReader } from "../../../src/rpc/calls/request-reader.ts";
import { LARGE_BODY_BYTES } from "../../../src/rpc/calls/schedule.ts";
import { array, optional } from "../../../src/rpc/codecs/json/codec.ts";
import { encodeNumber, encodeText } from "../../../src/rpc/codecs/json/encoder.ts";
import { plainNumber } from "../../../src/rpc/codecs/json/number.ts";
import { permittedMethods } from "../../../src/rpc/keys/key-methods.ts";
import { UNBOUNDED } from "../../../src/rpc/limits/answer-budget.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import { method, type Namespace, param, Registry } from "../../../src/rpc/registry/registry.ts";
import { recordingLogger } from "../../world/rpc/fakes.ts";

let reads = 0;
const registry = new Registry([
  method({
    name: "getValue",
    params: [param("n", optional(plainNumber(), 0))],
    handle: (n) => {
      reads += 1;
      return n;
    },
    keep: () => "commit",
    encode: { svc: encodeNumber },
  }),
  method({
    name: "rawValue",
    params: [],
    handle: () => 3,
    raw: { svc: (_body, _from, _to, out) => out.text("3") !== undefined },
    encode: { svc: encodeNumber },
  }),
  method({
    name: "sumOf",
    params: [param("numbers", array(plainNumber()))],
    handle: async (all) => all.reduce((a, b) => a + b, 0),
    encode: { svc: encodeNumber },
  }),
  method({ name: "stopAll", params: [], handle: () => "stopped", encode: { svcAdmin: encodeText } }),
]);

function setUp(namespaces: readonly Namespace[]) {
  const names = wireNames(registry, namespaces);
  const counts = new CallCounts(CallCounts.memory(names, 1), names);
  const chain = { version: () => 1, latestBlockNumber: () => 1, blockHash: () => new Uint8Array(32) };
  const results = new ResultCache({ maxBytes: 100_000, chain });
  const log = recordingLogger();
  const options = { namespaces, maxBatchSize: 100, results, counts };
  const calls = new Calls(registry, options, new AnswerWriter({}, log));
  const reader = new RequestReader(calls, { maxBatchSize: 100, budget: UNBOUNDED });
  const longCalls: LongCalls = {
    answer: async (body) => structuredClone(await reader.read(new Uint8Array(body))),
  };
  const dispatcher = new Dispatcher(registry, { ...options, longCalls }, log);
  const ask = async (name: string, ...params: unknown[]) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params }));
    const answer = await dispatcher.answerBytes(body);
    const { result, error } = JSON.parse(Buffer.from(answer.body).toString());
    return error?.message ?? result;
  };
  const counted = () => counts.read().map((one) => [one.method, one.ok + one.failed]);
  return { ask, counted };
}

const both = ["svc", "aztec"] as const;

test("aztec_ is another spelling of svc_ in general calls, from cached and scanned bytes, and in bodies that are read elsewhere", async () => {
  for (const namespaces of [both, ["aztec"] as const]) {
    const { ask } = setUp(namespaces);
    for (let time = 0; time < 2; time++) expect(await ask("aztec_getValue", 7)).toBe(7);
    expect(await ask("aztec_rawValue")).toBe(3);
    expect(await ask("aztec_sumOf", new Array(LARGE_BODY_BYTES / 2).fill(1))).toBe(LARGE_BODY_BYTES / 2);
    expect(await ask("aztec_getValue", 1, 2)).toMatch(/at most 1 element/);
    expect(await ask("aztec_nosuch")).toBe("Method not found: aztec_nosuch");
  }
});

test("both have one cached result and one label", async () => {
  const { ask, counted } = setUp(both);
  reads = 0;
  for (const name of ["svc_getValue", "aztec_getValue", "svc_getValue"]) expect(await ask(name, 5)).toBe(5);
  expect(reads).toBe(1);
  await ask("aztec_rawValue");
  await ask("aztec_sumOf", [1]);
  expect(counted().sort()).toEqual([
    ["svc_getValue", 3],
    ["svc_rawValue", 1],
    ["svc_sumOf", 1],
  ]);
});

test("a listener that does not serve it knows no such method", async () => {
  const { ask } = setUp(["svc"]);
  expect(await ask("aztec_getValue", 7)).toBe("Method not found: aztec_getValue");
});

test("aztec_ is another spelling of svc_ of an admin port, aztecAdmin_ is one of svcAdmin_", async () => {
  const { ask } = setUp(["svcAdmin", "aztecAdmin"]);
  expect(await ask("aztecAdmin_stopAll")).toBe("stopped");
});

test("a key's list of methods may have either", () => {
  for (const listed of ["aztec_get*", "svc_get*"]) {
    const permitted = permittedMethods(registry, [listed]);
    expect(permitted.find("aztec", "getValue")?.name).toBe("getValue");
    expect(permitted.find("svc", "rawValue")).toBeUndefined();
  }
});

test("the description lists each method once and names the other spelling", () => {
  const { info, methods } = openRpcDocument(registry, both);
  expect(methods.map(({ name }) => name)).toEqual(["svc_getValue", "svc_rawValue", "svc_sumOf"]);
  expect(info.description).toContain("svc_ are served as aztec_ too");
  expect(openRpcDocument(registry, ["aztec"]).methods[0].name).toBe("aztec_getValue");
});
