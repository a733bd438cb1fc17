import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { Random } from "../../support/random.ts";
import { jsonText, RawJson } from "./json-text.ts";
import { hostileValue, mutated, nested } from "./mutate.ts";
import type { Seeds } from "./seeds.ts";

/** How an answer is checked. */
export type Expectation =
  /** By the JSON-RPC rules, for these bytes as the body. */
  | { kind: "rpc"; body: Uint8Array }
  /** The status is one of these; with `mayClose` the connection may end without an answer. */
  | { kind: "status"; statuses: readonly number[]; mayClose: boolean; headOnly?: boolean }
  /** The client leaves without waiting for an answer. */
  | { kind: "abort" };

/** One HTTP request, split into the pieces in which it is written. */
export interface FuzzCase {
  category: string;
  pieces: Uint8Array[];
  /** Number of JSON-RPC requests in it, at least 1. */
  requests: number;
  expect: Expectation;
}

/** The listener that a case is sent to: its methods, and headers that a request needs. */
export interface Target {
  methods: readonly string[];
  seeds: Seeds;
  /** Header lines, each ending with a line break. */
  headers: string;
  /** The admin listener's key, which is among `headers`; undefined for the public listener. */
  key: string | undefined;
  /** Whole transactions of about 150 kB each: too large for the seeds. */
  txs: readonly unknown[];
}

const CALL_IDS = [0, 1, -1, 1.5, "", "a", "\ud800", null, true, [], {}, { a: [1] }];

function call(target: Target, random: Random): Record<string, unknown> {
  const method = random.pick(target.methods);
  let params: unknown = random.pick(target.seeds.get(method) ?? [[]]);
  const changes = random.pick([0, 1, 1, 1, 1, 2, 3]);
  for (let i = 0; i < changes; i++) params = mutated(params, random);
  // A mutation may replace the list itself; mostly it should stay a list, so that the method reads it.
  if (!Array.isArray(params) && random.chance(0.9)) params = [params];
  return { jsonrpc: "2.0", id: random.below(1e6), method, params };
}

/** A request line in pieces may be refused (docs/deviations.md), so requests that must be answered send it whole. */
const REQUEST_LINE_BYTES = "POST / HTTP/1.1\r\n".length;

/** A call with a malformed envelope. */
function oddCall(target: Target, random: Random): unknown {
  const request = call(target, random);
  switch (random.below(10)) {
    case 0:
      return { ...request, id: random.pick(CALL_IDS) };
    case 1:
      return { ...request, id: random.chance(0.1) ? nested(random) : hostileValue(random) };
    case 2:
      return { ...request, jsonrpc: hostileValue(random) };
    case 3:
      return { ...request, method: hostileValue(random) };
    case 4:
      return { ...request, method: mutated(request.method, random) };
    case 5:
      return { ...request, params: hostileValue(random) };
    case 6:
      return mutated(request, random);
    case 7:
      return {
        ...request,
        method: random.pick([
          "node_",
          "_",
          "__",
          "node_constructor",
          "node___proto__",
          "__proto___x",
          "node_toString",
          "x".repeat(5000),
        ]),
      };
    case 8:
      return { ...request, [random.pick(["__proto__", "extra", "error", "result"])]: new RawJson('{"a":1}') };
    default:
      return hostileValue(random);
  }
}

function head(target: Target, lines: string, first = "POST / HTTP/1.1"): string {
  return `${first}\r\nHost: fuzz\r\n${target.headers}${lines}\r\n`;
}

function post(target: Target, body: Uint8Array, more = ""): Buffer {
  const lines = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}`;
  return Buffer.concat([Buffer.from(head(target, lines), "latin1"), body]);
}

function rpcCase(category: string, target: Target, body: Buffer, requests = 1, more = ""): FuzzCase {
  return { category, pieces: [post(target, body, more)], requests, expect: { kind: "rpc", body } };
}

/** Splits bytes at random places after `from`. */
function pieces(bytes: Buffer, random: Random, from = 0): Buffer[] {
  const at = () => from + random.below(bytes.length + 1 - from);
  const cuts = Array.from({ length: random.below(6) }, at).sort((a, b) => a - b);
  return [0, ...cuts]
    .map((start, i) => bytes.subarray(start, cuts[i] ?? bytes.length))
    .filter(({ length }) => length > 0);
}

const batch: CaseMaker = (target, random) => {
  const requests = random.pick([1, 2, 50, 90, 100, 100, 100]);
  const slots = Array.from({ length: requests }, () =>
    random.chance(0.9) ? call(target, random) : oddCall(target, random),
  );
  return rpcCase("batch", target, Buffer.from(jsonText(slots)), requests, acceptEncoding(random));
};

function acceptEncoding(random: Random): string {
  return random.pick(["", "", "Accept-Encoding: gzip\r\n", "Accept-Encoding: zstd, br;q=0, *\r\n"]);
}

const single: CaseMaker = (target, random) => rpcCase("single", target, Buffer.from(jsonText(call(target, random))));

/** A call of a tx method with one change to a valid transaction. */
const transaction: CaseMaker = (target, random) => {
  const methods = target.methods.filter((method) => /_(sendTx|isValidTx|simulatePublicCalls)$/.test(method));
  if (methods.length === 0 || target.txs.length === 0) return single(target, random);
  const tx = random.pick(target.txs);
  const params = [
    random.chance(0.1) ? tx : mutated(tx, random),
    ...random.pick([[], [true], [{ isSimulation: true }]]),
  ];
  return rpcCase("transaction", target, Buffer.from(jsonText({ id: 1, method: random.pick(methods), params })));
};

const envelope: CaseMaker = (target, random) => {
  const request = oddCall(target, random);
  const wrapped = random.pick([request, request, [request], [[request]], [], new Array(101).fill(request ?? null)]);
  return rpcCase("envelope", target, Buffer.from(jsonText(wrapped)));
};

const text: CaseMaker = (target, random) => {
  const good = Buffer.from(jsonText(call(target, random)));
  const at = random.below(good.length);
  const body = random.pick<() => Buffer>([
    () => good.subarray(0, at),
    () => Buffer.concat([good.subarray(0, at), random.bytes(3), good.subarray(at)]),
    () => Buffer.concat([Buffer.from("\ufeff \n"), good]),
    () => Buffer.concat([good, Buffer.from(random.pick([" ", "\n\n", "\0", "}", ",{}", "//"]))]),
    () =>
      Buffer.from(
        random.pick(["", " ", "null", "1", '"x"', "{", "[", "[[]", "{}", "[{}]", "[null,1]", "\0", "NaN", "{'a':1}"]),
      ),
    () => Buffer.from(`{"method":"${random.pick(target.methods)}","method":"x","params":[],"id":1,"id":2}`),
    () => Buffer.from("[".repeat(random.pick([10, 1000, 100_000, 500_000]))),
    () => Buffer.from(nested(random).text),
    () => Buffer.from(good.toString("utf8"), "utf16le"),
    () => random.bytes(random.below(300)),
  ])();
  return rpcCase("text", target, body);
};

const size: CaseMaker = (target, random) => {
  const length = 1024 * 1024 + random.pick([-1, 0, 1, 1000]);
  const start = `{"method":"${random.pick(target.methods)}","id":1,"params":["`;
  const body = Buffer.from(`${start}${"a".repeat(length - start.length - 3)}"]}`);
  return rpcCase("size", target, body);
};

const compressed: CaseMaker = (target, random) => {
  const body = Buffer.from(jsonText([call(target, random), oddCall(target, random)]));
  const [name, pack] = random.pick([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ] as const);
  const packed = pack(random.chance(0.05) ? Buffer.alloc(3_000_000, " ") : body);
  const line = `Content-Encoding: ${random.pick([name, name, name.toUpperCase()])}\r\n`;
  const refused = { kind: "status", statuses: [400, 413], mayClose: false } as const;
  if (packed.length < 100 || random.chance(0.5)) {
    const at = random.below(packed.length);
    const corrupt = Buffer.concat([packed.subarray(0, at), random.bytes(1 + random.below(9))]);
    // The corrupt bytes may still decompress: then the answer is that of some body.
    const expect = { ...refused, statuses: [200, 400, 413] };
    return { category: "compressed", pieces: [post(target, corrupt, line)], requests: 1, expect };
  }
  if (random.chance(0.1)) {
    const odd = `Content-Encoding: ${random.pick(["foo", "gzip, br", "x-gzip", "identity, gzip"])}\r\n`;
    const expect = { ...refused, statuses: [200, 400, 413, 415] };
    return { category: "compressed", pieces: [post(target, packed, odd)], requests: 1, expect };
  }
  if (packed.length < 20_000 && body.length > 2) {
    const isBomb = !packed.equals(pack(body));
    if (isBomb) return { category: "compressed", pieces: [post(target, packed, line)], requests: 1, expect: refused };
  }
  return { category: "compressed", pieces: [post(target, packed, line)], requests: 2, expect: { kind: "rpc", body } };
};

const split: CaseMaker = (target, random) => {
  const body = Buffer.from(jsonText([call(target, random), call(target, random)]));
  return {
    category: "split",
    pieces: pieces(post(target, body), random, REQUEST_LINE_BYTES),
    requests: 2,
    expect: { kind: "rpc", body },
  };
};

const chunked: CaseMaker = (target, random) => {
  const body = Buffer.from(jsonText([call(target, random)]));
  const start = Buffer.from(head(target, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"), "latin1");
  const chunks = pieces(body, random).map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]),
  );
  const whole = Buffer.concat([start, ...chunks, Buffer.from("0\r\n\r\n")]);
  if (random.chance(0.7)) {
    return {
      category: "chunked",
      pieces: pieces(whole, random, REQUEST_LINE_BYTES),
      requests: 1,
      expect: { kind: "rpc", body },
    };
  }
  const bad = Buffer.from(
    random.pick(["zz\r\n{}\r\n", "-1\r\n", "fffffffffffffffff\r\n", "5\r\nabc", "\r\n\r\n", "1;x=y\r\n{\r\n"]),
  );
  return { category: "chunked", pieces: [Buffer.concat([start, bad])], requests: 1, expect: { kind: "abort" } };
};

const heads: CaseMaker = (target, random) => {
  const verb = random.pick(["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "post", "FOO", "TRACE"]);
  const path = random.pick([
    "/",
    "/?x=1",
    "/status",
    "/status/",
    "/x",
    "//",
    "/%00",
    "/..",
    `/${"a".repeat(2000)}`,
    "*",
    "http://x/",
  ]);
  const odd = random.pick([
    "",
    "Origin: http://x\r\n",
    "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-y\r\n",
    `X-Long: ${"v".repeat(random.pick([10, 5000, 9000, 20_000]))}\r\n`,
    "X: 1\r\n".repeat(random.pick([5, 40, 150])),
    "Expect: 100-continue\r\n",
    "Accept-Encoding: gzip;q=x, ,;;,*\r\n",
    "Content-Type: text/plain\r\n",
    "Content-Type: application/json; charset=\xff\r\n",
    "Connection: close\r\n",
  ]);
  const bytes = Buffer.from(head(target, `${odd}Content-Length: 0\r\n`, `${verb} ${path} HTTP/1.1`), "latin1");
  const statuses = [200, 204, 400, 404, 405, 431, 414, 501, 505, ...(target.key === undefined ? [] : [401])];
  return {
    category: "heads",
    pieces: random.chance(0.3) ? pieces(bytes, random) : [bytes],
    requests: 1,
    expect: { kind: "status", statuses, mayClose: true, headOnly: verb === "HEAD" },
  };
};

/** Bytes that are not a request: no answer is expected; the process must only survive. */
const garbage: CaseMaker = (target, random) => {
  const good = post(target, Buffer.from(jsonText(call(target, random))));
  const at = random.below(good.length);
  const bytes = random.pick<() => Buffer>([
    () => random.bytes(1 + random.below(500)),
    () => good.subarray(0, at),
    () => Buffer.concat([good.subarray(0, at), random.bytes(2), good.subarray(at + 2)]),
    () =>
      Buffer.from(
        head(target, `Content-Length: ${random.pick(["-1", "x", "1e3", "99999999999", "0x5", "5, 6", ""])}\r\n`),
      ),
    () => Buffer.from(head(target, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")),
    () => Buffer.from(head(target, "", "POST / HTTP/9.9")),
    () => Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    () => Buffer.from(" : \r\n\r\n"),
    () => Buffer.concat([good, good]),
  ])();
  return { category: "garbage", pieces: pieces(bytes, random), requests: 1, expect: { kind: "abort" } };
};

const abort: CaseMaker = (target, random) => {
  const body = Buffer.from(jsonText(Array.from({ length: 20 }, () => call(target, random))));
  const bytes = post(target, body);
  const sent = random.chance(0.5) ? bytes : bytes.subarray(0, random.below(bytes.length));
  return { category: "abort", pieces: [sent], requests: 1, expect: { kind: "abort" } };
};

/** Requests without the right key must get 401. */
const wrongKey: CaseMaker = (target, random) => {
  const key = target.key ?? "";
  const at = random.below(key.length);
  const wrong = random.pick([
    "",
    "x-api-key: \r\n",
    `x-api-key: ${key.slice(0, at)}\r\n`,
    `x-api-key: ${key.slice(0, at)}${key[at] === "0" ? "1" : "0"}${key.slice(at + 1)}\r\n`,
    `x-api-key: ${key}${key}\r\n`,
    `x-api-key: ${key.slice(0, -1)}\xe9\r\n`,
    `x-api-key: ${"5".repeat(3000)}\r\n`,
    `x-api-key: x\r\nAuthorization: Bearer ${key}\r\n`,
    `Authorization: Basic ${key}\r\n`,
    `Authorization: Bearer\r\n`,
    `Authorization: Bearer${key}\r\n`,
    `x-api-keys: ${key}\r\n`,
    `Cookie: x-api-key=${key}\r\n`,
  ]);
  const keyless = { ...target, headers: wrong };
  const body = random.chance(0.5) ? Buffer.from(jsonText(call(target, random))) : random.bytes(random.below(100));
  const first = random.pick([
    "POST /",
    "POST /",
    `POST /?x-api-key=${key}`,
    "GET /",
    "OPTIONS /",
    "GET /status/",
    "HEAD /status",
    "POST /x",
  ]);
  const bytes = Buffer.concat([
    Buffer.from(
      head(keyless, `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`, `${first} HTTP/1.1`),
      "latin1",
    ),
    body,
  ]);
  return {
    category: "wrong key",
    pieces: [bytes],
    requests: 1,
    expect: { kind: "status", statuses: [401], mayClose: false, headOnly: first.startsWith("HEAD") },
  };
};

type CaseMaker = (target: Target, random: Random) => FuzzCase;

/** Cases of each kind in 1000; the rest are batches, which carry most of the requests. */
const SHARES: readonly (readonly [share: number, make: CaseMaker])[] = [
  [150, single],
  [120, envelope],
  [120, text],
  [3, size],
  [10, transaction],
  [50, compressed],
  [80, split],
  [60, chunked],
  [80, heads],
  [20, garbage],
  [20, abort],
];

/** Draws a case for a listener. */
export function fuzzCase(target: Target, random: Random): FuzzCase {
  if (target.key !== undefined && random.chance(0.3)) return wrongKey(target, random);
  let at = random.below(1000);
  for (const [share, make] of SHARES) {
    at -= share;
    if (at < 0) return make(target, random);
  }
  return batch(target, random);
}
