import { existsSync, readFileSync } from "node:fs";
import { gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Random } from "../support/random.ts";
import { rounds } from "../support/soak.ts";
import {
  ADMIN_API_KEY,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../world/node/recorded-node.ts";
import { comparable, isComparable } from "../world/node/recording-limits.ts";
import { type FuzzCase, fuzzCase, type Target } from "./fuzz/cases.ts";
import { type AnswerCounts, judgeRpc, WrongAnswerError } from "./fuzz/oracle.ts";
import { API_METHODS, type NamespaceName, seedsFor } from "./fuzz/seeds.ts";
import { WireConnection } from "./fuzz/wire.ts";

const REQUESTS = Number(process.env.SVC_FUZZ_REQUESTS ?? rounds(200_000, 25_000));
const SEED = Number(process.env.SVC_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** Concurrent connections; each draws its cases from its own seed. */
const WORKERS = 6;
/** Limit for any answer, generous enough for a busy machine. */
const ANSWER_LIMIT_MS = 20_000;
/**
 * Growth allowed during the second half of the requests: room for uncollected garbage, not for leaks. The first half
 * fills what is bounded and never shrinks: 64 MiB of cached results, and the heap and allocator arenas of a dozen
 * threads.
 */
const GROWTH_LIMIT_MIB = 200;

const golden = goldenCases();
let l1: RecordedL1;
let node: NodeProcess;
/** Log lines that report a fault of the node, the first of each kind. */
const faults = new Map<string, string>();
beforeAll(async () => {
  l1 = await startRecordedL1();
  node = await NodeProcess.start(l1);
  node.onLogLine((line) => {
    if (!/failed unexpectedly|answering an HTTP request failed|uncaught|unhandled/i.test(line)) return;
    const kind = line.replace(/^\S+ /, "").split(" at ", 1)[0];
    if (!faults.has(kind)) faults.set(kind, line.slice(0, 1500));
  });
  await node.ready();
});
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

interface Tally {
  cases: number;
  requests: number;
}

/** State shared by all workers. */
interface Run {
  left: number;
  tallies: Map<string, Tally>;
  counts: AnswerCounts;
  slowestMs: number;
}

class FuzzFailure extends Error {
  constructor(where: string, fuzz: FuzzCase, cause: unknown) {
    const sent = Buffer.concat(fuzz.pieces).toString("latin1").slice(0, 2000);
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`${where}, ${fuzz.category}: ${why}\nsent: ${JSON.stringify(sent)}`, { cause });
    this.name = "FuzzFailure";
  }
}

/** Sends cases on one connection at a time until the run has enough requests. */
async function work(run: Run, port: number, target: Target, random: Random, name: string): Promise<void> {
  let connection = await WireConnection.open(port);
  for (let i = 0; run.left > 0; i++) {
    const fuzz = fuzzCase(target, random);
    run.left -= fuzz.requests;
    try {
      if (connection.closed) connection = await WireConnection.open(port);
      const started = Date.now();
      // A server may close an idle connection while the next request is in flight: then it is sent once more.
      if ((await exchange(connection, fuzz, run)) === "closed") {
        connection = await WireConnection.open(port);
        if ((await exchange(connection, fuzz, run)) === "closed") {
          throw new WrongAnswerError("the connection closes without an answer", undefined);
        }
      }
      run.slowestMs = Math.max(run.slowestMs, Date.now() - started);
    } catch (error) {
      throw new FuzzFailure(`${name}, case ${i}`, fuzz, error);
    }
    const tally = run.tallies.get(fuzz.category) ?? { cases: 0, requests: 0 };
    run.tallies.set(fuzz.category, { cases: tally.cases + 1, requests: tally.requests + fuzz.requests });
  }
  connection.drop();
}

async function exchange(connection: WireConnection, fuzz: FuzzCase, run: Run): Promise<"answered" | "closed"> {
  const { expect: wanted } = fuzz;
  await connection.write(fuzz.pieces);
  if (wanted.kind === "abort") {
    connection.drop();
    return "answered";
  }
  const answer = await connection.answer(ANSWER_LIMIT_MS, wanted.kind === "status" && wanted.headOnly);
  if (answer === undefined) return wanted.kind === "status" && wanted.mayClose ? "answered" : "closed";
  // After malformed bytes, further answers may belong to the rest of them: a new connection is needed.
  if (answer.headers.get("connection") === "close" || (wanted.kind === "status" && wanted.mayClose)) connection.drop();
  const body = decoded(answer.headers.get("content-encoding"), answer.body);
  if (wanted.kind === "rpc") judgeRpc(wanted.body, { ...answer, body }, run.counts);
  else if (!wanted.statuses.includes(answer.status)) {
    throw new WrongAnswerError(`one of ${wanted.statuses.join()} expected`, { ...answer, body });
  }
  return "answered";
}

function decoded(encoding: string | undefined, body: Buffer): Buffer {
  if (encoding === undefined || body.length === 0) return body;
  if (encoding === "gzip") return gunzipSync(body);
  if (encoding === "deflate") return inflateSync(body);
  if (encoding === "zstd") return zstdDecompressSync(body);
  throw new WrongAnswerError(`content encoding ${encoding}`, undefined);
}

/** Resident memory of the node. */
function residentMiB(): number {
  const file = `/proc/${node.pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(file, "utf8"))?.[1] ?? 0) / 1024;
}

/** Resumes sync, which admin requests may have stopped, and waits until the node is back at the recorded tip. */
async function recovered(): Promise<void> {
  await fetch(node.adminUrl, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": ADMIN_API_KEY },
    body: JSON.stringify({ method: "nodeAdmin_resumeSync", params: [] }),
  });
  const tip = golden.find(({ method }) => method === "getBlockNumber")?.result;
  await expect.poll(async () => (await node.ask("getBlockNumber")).body.result, { timeout: 60_000 }).toBe(tip);
}

/** The methods of the given namespaces that a listener serves. */
async function registered(url: string, headers: Record<string, string>, names: NamespaceName[]): Promise<string[]> {
  const found: string[] = [];
  for (const method of names.flatMap((namespace) => API_METHODS[namespace].map((name) => `${namespace}_${name}`))) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      // Invalid parameters for every method, so that probing changes nothing.
      body: JSON.stringify({ method, params: [{ absent: true }, 0, 0, 0, 0] }),
    });
    const { error } = (await response.json()) as { error?: { code: number } };
    if (error?.code !== -32601) found.push(method);
  }
  return found;
}

async function checkGolden(): Promise<number> {
  const sample = golden.filter((one, i) => i % 23 === 0 && isComparable(one));
  let compared = 0;
  for (const { method, params, result } of sample) {
    if (result === undefined) continue;
    const { body } = await node.ask(method, params);
    if (body.error?.code === -32601) continue;
    const text = (value: unknown) => JSON.stringify(comparable(method, { result: value }));
    expect(text(body.result), `${method}(${JSON.stringify(params)})`).toBe(text(result));
    compared++;
  }
  return compared;
}

test(`${REQUESTS} generated requests leave the node answering as before`, { timeout: 600_000 }, async () => {
  process.stderr.write(`fuzz seed ${SEED}: SVC_FUZZ_SEED=${SEED} repeats the cases of each worker\n`);
  const port = (url: string) => Number(new URL(url).port);
  const seeds = seedsFor(golden);
  const txs = golden
    .filter(({ method, result }) => method === "getTxByHash" && result !== undefined)
    .map((c) => c.result);
  const publicMethods = await registered(node.url, {}, ["node", "svc"]);
  const adminMethods = await registered(node.adminUrl, { "x-api-key": ADMIN_API_KEY }, ["nodeAdmin", "svcAdmin"]);
  const admin = { seeds, headers: `x-api-key: ${ADMIN_API_KEY}\r\n`, key: ADMIN_API_KEY, txs: [] };
  const targets: { port: number; target: Target }[] = [
    { port: port(node.url), target: { methods: publicMethods, seeds, headers: "", key: undefined, txs } },
    { port: port(node.adminUrl), target: { ...admin, methods: adminMethods } },
  ];
  const methods = targets.flatMap(({ target }) => target.methods);

  const counts = { results: 0, errors: new Map<number, number>() };
  const run: Run = { left: 0, tallies: new Map(), counts, slowestMs: 0 };
  const fuzz = async (requests: number, seed: number): Promise<void> => {
    run.left = requests;
    const workers = Array.from({ length: WORKERS }, (_, i) => {
      // The admin listener has one worker in three.
      const { port: to, target } = targets[i % 3 === 2 ? 1 : 0];
      return work(run, to, target, new Random(seed + i), `seed ${seed} worker ${i}`);
    });
    await Promise.all(workers);
  };

  expect(await checkGolden()).toBeGreaterThan(50);
  const half = Math.ceil(REQUESTS / 2);
  const before = residentMiB();
  await fuzz(half, SEED);
  const halfway = residentMiB();
  await fuzz(half, SEED ^ 0x5eed);
  const grown = residentMiB() - halfway;

  const sum = [...run.tallies.values()].reduce((total, { requests }) => total + requests, 0);
  const byKind = [...run.tallies].sort().map(([kind, { cases, requests }]) => `${kind} ${requests} in ${cases}`);
  const errors = [...run.counts.errors].sort().map(([code, count]) => `${code} ${count}`);
  process.stderr.write(
    `fuzz: ${sum} requests to ${methods.length} methods (${byKind.join(", ")}); ${run.counts.results} results, ` +
      `errors ${errors.join(", ")}; slowest answer ${run.slowestMs} ms; memory ${Math.round(before)} MiB, ` +
      `${Math.round(halfway)} halfway and ${Math.round(grown)} more\n`,
  );
  expect(sum).toBeGreaterThanOrEqual(REQUESTS);
  expect(node.running).toBe(true);
  expect([...faults.values()].slice(0, 5)).toEqual([]);
  expect(grown).toBeLessThan(GROWTH_LIMIT_MIB);
  await recovered();
  expect(await checkGolden()).toBeGreaterThan(50);
});
