import { randomBytes } from "node:crypto";
import { type Abi, type AbiFunction, type Hex, toEventSelector, toFunctionSelector } from "viem";
import { inboxAbi } from "../../../src/l1/abi/inbox.ts";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import * as bodies from "./bodies.ts";
import type { Lie, RpcAnswer, RpcCall } from "./lying-l1.ts";

const selectors = (abi: Abi, ...names: string[]): string[] =>
  names.map((name) => toFunctionSelector(abi.find((i) => i.type === "function" && i.name === name) as AbiFunction));
const topic = (abi: Abi, name: string): string =>
  toEventSelector(abi.find((item) => item.type === "event" && item.name === name) as never);
const PROPOSED = topic(rollupAbi as Abi, "CheckpointProposed");
const MESSAGE = topic(inboxAbi as Abi, "MessageSent");

const hash = () => `0x${randomBytes(32).toString("hex")}`;
const hex = (value: number | bigint) => `0x${value.toString(16)}`;
const number = (value: unknown) => Number(value as string);
/** The text with its last digit changed. */
const flipped = (text: string) => text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");

// biome-ignore lint/suspicious/noExplicitAny: answers of an L1 node.
type Any = any;

const result = (truth: RpcAnswer, value: unknown): RpcAnswer => ({ jsonrpc: "2.0", id: truth.id, result: value });
const failure = (truth: RpcAnswer, error: unknown): RpcAnswer => ({ jsonrpc: "2.0", id: truth.id, error });

/** Changes the results of one method that are not null. */
const about = (method: string, change: (given: Any, call: RpcCall) => unknown): Lie => ({
  answer: (call, truth) =>
    call.method === method && truth.result !== undefined && truth.result !== null
      ? result(truth, change(truth.result, call))
      : undefined,
});

const everything = (change: (truth: RpcAnswer, call: RpcCall) => RpcAnswer): Lie => ({
  answer: (call, truth) => change(truth, call),
});

/** Changes the logs of one event, or of all. */
const logs = (change: (logs: Any[], call: RpcCall) => unknown, event?: string): Lie =>
  about("eth_getLogs", (given, call) => {
    const [topics] = [(call.params[0] as { topics: string[] }).topics];
    return event === undefined || topics[0] === event ? change(given, call) : given;
  });
const eachLog = (change: (log: Any) => unknown, event?: string): Lie => logs((given) => given.map(change), event);

/** Changes the latest block, or (`blocks`) all blocks. */
const head = (change: (block: Any) => unknown): Lie =>
  about("eth_getBlockByNumber", (block, { params }) => (params[0] === "latest" ? change(block) : block));
const blocks = (change: (block: Any, call: RpcCall) => unknown): Lie => about("eth_getBlockByNumber", change);

/** Changes the 32-byte words that contract functions return. */
const call = (abi: readonly unknown[], names: string[], change: (words: string[]) => string[]): Lie => {
  const called = selectors(abi as Abi, ...names);
  return about("eth_call", (given: Hex, { params }) => {
    const { data } = params[0] as { data: string };
    if (names.length > 0 && !called.includes(data.slice(0, 10))) return given;
    return `0x${change(given.slice(2).match(/.{64}/g) ?? []).join("")}`;
  });
};
const word = (value: bigint | number) => BigInt(value).toString(16).padStart(64, "0");
const ONES = "f".repeat(64);

/** Several lies at once. */
const all = (...lies: Lie[]): Lie => ({
  answer: (asked, truth) => lies.reduce((answer, lie) => lie.answer?.(asked, answer) ?? answer, truth),
});

/**
 * Announces a head that L1 does not have yet, and answers calls from the latest state whatever block they name.
 */
const aheadWithState = (by: number): Lie => ({
  ...head((block) => ({ ...block, number: hex(number(block.number) + by), hash: hash() })),
  ask: (asked) => (asked.method === "eth_call" ? { ...asked, params: [asked.params[0], "latest"] } : asked),
});

/** One lie; `name` continues the phrase "an L1 endpoint that ...". */
export interface LieRow {
  name: string;
  lie: Lie;
}

const respond = (name: string, given: bodies.Respond): LieRow => ({ name, lie: { respond: given } });

const HTTP: LieRow[] = [
  ...[301, 400, 401, 404, 429, 500, 503].map((code) =>
    respond(
      `answers HTTP status ${code}`,
      bodies.status(code, code === 301 ? { location: "http://127.0.0.1:9/" } : {}),
    ),
  ),
  respond("closes every connection", bodies.closes),
  respond("closes connections within the answer", bodies.closesWithin),
  respond("never answers", bodies.hangs),
  respond("never ends its answers", bodies.hangsWithin),
  respond("drips its answers", bodies.drips),
  respond("answers spaces without end", bodies.endless(Buffer.alloc(65_536, 0x20))),
  respond("answers lists in lists without end", bodies.endless(Buffer.alloc(65_536, 0x5b))),
  respond("answers a bomb of gzip", bodies.bomb),
  respond(
    "answers 30 MB of nested lists",
    bodies.whole(() => Buffer.alloc(30_000_000, 0x5b)),
  ),
  respond(
    "answers ten million empty lists",
    bodies.whole(() => `[${"[],".repeat(10_000_000)}1]`),
  ),
  respond(
    "answers nothing",
    bodies.whole(() => ""),
  ),
  respond(
    "answers HTML",
    bodies.whole(() => "<html><body>Sign in</body></html>"),
  ),
  respond(
    "cuts its JSON",
    bodies.whole((truth) => truth.subarray(0, -5)),
  ),
  respond(
    "answers its JSON twice",
    bodies.whole((truth) => Buffer.concat([truth, truth])),
  ),
  respond(
    "answers bytes that are no text",
    bodies.whole(() => Buffer.alloc(1000, 0xff)),
  ),
  respond(
    "says gzip where there is none",
    bodies.whole((truth) => truth, { "content-encoding": "gzip" }),
  ),
  respond("breaks its chunks", bodies.brokenChunks),
  respond("speaks another protocol", bodies.noHttp),
  respond("sends a megabyte of headers", bodies.hugeHead),
];

const ENVELOPES: LieRow[] = [
  { name: "answers with other ids", lie: everything((truth) => ({ ...truth, id: 10_000 + Number(truth.id) })) },
  { name: "answers with ids as text", lie: everything((truth) => ({ ...truth, id: String(truth.id) })) },
  {
    name: "gives the answer of one call to another",
    lie: {
      answers: (answers) => answers.map((answer, i) => ({ ...answer, id: answers[(i + 1) % answers.length].id })),
    },
  },
  { name: "leaves out half of its answers", lie: { answers: (answers) => answers.filter((_, i) => i % 2 === 1) } },
  { name: "answers a list of numbers", lie: { answers: (answers) => answers.map((_, i) => i) } },
  { name: "answers null to everything", lie: everything((truth) => result(truth, null)) },
  { name: "answers true to everything", lie: everything((truth) => result(truth, true)) },
  { name: "answers {} to everything", lie: everything((truth) => result(truth, {})) },
  { name: "answers 0x to everything", lie: everything((truth) => result(truth, "0x")) },
  { name: "answers neither result nor error", lie: everything(({ id }) => ({ jsonrpc: "2.0", id })) },
  {
    name: "answers an error with a megabyte of text",
    lie: everything((truth) => failure(truth, { code: -32000, message: "x".repeat(1_000_000) })),
  },
  {
    name: "answers errors of odd types",
    lie: everything((truth) => failure(truth, { code: "x", message: {}, data: [] })),
  },
  {
    name: "says that every call reverts",
    lie: everything((truth, { method }) =>
      method === "eth_call" ? failure(truth, { code: 3, message: "execution reverted", data: "0x08c379a0" }) : truth,
    ),
  },
  {
    name: "says that every range is too large",
    lie: everything((truth, { method }) =>
      method === "eth_getLogs"
        ? failure(truth, { code: -32005, message: "query returned more than 10000 results" })
        : truth,
    ),
  },
];

const LOGS: LieRow[] = [
  { name: "has no logs", lie: logs(() => []) },
  { name: "has no messages", lie: logs(() => [], MESSAGE) },
  { name: "shuffles its logs", lie: logs((given) => given.toReversed()) },
  { name: "gives each log a thousand times", lie: logs((given) => Array(1000).fill(given).flat()) },
  {
    name: "gives each log again under other indexes",
    lie: logs((given) => [...given, ...given.map((log, i) => ({ ...log, logIndex: hex(5000 + i) }))]),
  },
  { name: "leaves every other log out", lie: logs((given) => given.filter((_, i) => i % 2 === 0)) },
  { name: "leaves the first proposal out", lie: logs((given) => given.slice(1), PROPOSED) },
  { name: "leaves the first message out", lie: logs((given) => given.slice(1), MESSAGE) },
  { name: "flips a bit in the data of logs", lie: eachLog((log) => ({ ...log, data: flipped(log.data) })) },
  {
    name: "flips a bit in the data of messages",
    lie: eachLog((log) => ({ ...log, data: flipped(log.data) }), MESSAGE),
  },
  {
    name: "flips a bit in the topics of logs",
    lie: eachLog((log) => ({ ...log, topics: log.topics.map((t: string, i: number) => (i === 0 ? t : flipped(t))) })),
  },
  { name: "cuts the data of logs", lie: eachLog((log) => ({ ...log, data: log.data.slice(0, -64) })) },
  { name: "gives logs of another contract", lie: eachLog((log) => ({ ...log, address: `0x${"11".repeat(20)}` })) },
  {
    name: "says that logs are in the block before",
    lie: eachLog((log) => ({ ...log, blockNumber: hex(number(log.blockNumber) - 1) })),
  },
  { name: "gives logs other block hashes", lie: eachLog((log) => ({ ...log, blockHash: hash() })) },
  { name: "gives logs other transactions", lie: eachLog((log) => ({ ...log, transactionHash: hash() })) },
  { name: "says that all logs are removed", lie: eachLog((log) => ({ ...log, removed: true })) },
  {
    name: "gives logs with fields of null",
    lie: eachLog((log) => Object.fromEntries(Object.keys(log).map((k) => [k, null]))),
  },
  { name: "answers null in place of logs", lie: eachLog(() => null) },
  {
    name: "gives a hundred thousand empty logs",
    lie: logs(() => Array(100_000).fill({ address: `0x${"11".repeat(20)}`, topics: [], data: "0x" })),
  },
  {
    name: "gives two thousand invalid proposals",
    lie: logs(
      (given) =>
        given.length === 0
          ? given
          : Array.from({ length: 2000 }, (_, i) => ({ ...given[0], logIndex: hex(i), transactionHash: hash() })),
      PROPOSED,
    ),
  },
];

const BLOCKS: LieRow[] = [
  {
    name: "serves another chain",
    lie: everything((truth, { method }) => (method === "eth_chainId" ? result(truth, "0x1") : truth)),
  },
  {
    name: "says that the head is 1,000 blocks ahead",
    lie: head((b) => ({ ...b, number: hex(number(b.number) + 1000), hash: hash() })),
  },
  {
    name: "says that the head is 1,000 blocks ahead and answers about it",
    lie: aheadWithState(1000),
  },
  {
    name: "says that the head is 2^52 blocks ahead",
    lie: head((b) => ({ ...b, number: hex(2n ** 52n), hash: hash() })),
  },
  {
    name: "says that the head is ten blocks back",
    lie: head((b) => ({ ...b, number: hex(number(b.number) - 10), hash: hash() })),
  },
  { name: "says that the head is the genesis", lie: head((b) => ({ ...b, number: "0x0", hash: hash() })) },
  { name: "has no head", lie: head(() => null) },
  { name: "gives the head another hash each time", lie: head((b) => ({ ...b, hash: hash() })) },
  { name: "gives every block another hash each time", lie: blocks((b) => ({ ...b, hash: hash() })) },
  {
    name: "gives the block before for a number",
    lie: blocks((b, { params }) =>
      params[0] === "latest" ? b : { ...b, number: hex(Math.max(0, number(b.number) - 1)), hash: hash() },
    ),
  },
  { name: "has no block but the head", lie: blocks((b, { params }) => (params[0] === "latest" ? b : null)) },
  { name: "gives blocks of the far future", lie: blocks((b) => ({ ...b, timestamp: hex(2n ** 40n) })) },
  { name: "gives blocks of 1970", lie: blocks((b) => ({ ...b, timestamp: "0x1" })) },
  {
    name: "gives blocks with fields of null",
    lie: blocks((b) => Object.fromEntries(Object.keys(b).map((k) => [k, null]))),
  },
  { name: "gives blocks with numbers beyond 2^64", lie: blocks((b) => ({ ...b, number: hex(2n ** 70n) })) },
];

const TRANSACTIONS: LieRow[] = [
  { name: "has no transactions", lie: about("eth_getTransactionByHash", () => null) },
  {
    name: "flips a bit in calldata",
    lie: about("eth_getTransactionByHash", (tx) => ({ ...tx, input: flipped(tx.input) })),
  },
  {
    name: "flips a digit in the middle of calldata, and in traces",
    lie: all(
      about("eth_getTransactionByHash", (tx) => ({ ...tx, input: inTheMiddle(tx.input) })),
      everything((truth, { method }) =>
        /^(trace|debug)_/.test(method) ? result(truth, [{ type: "call" }, null]) : truth,
      ),
    ),
  },
  { name: "cuts calldata", lie: about("eth_getTransactionByHash", (tx) => ({ ...tx, input: tx.input.slice(0, 200) })) },
  {
    name: "says that transactions are in another block",
    lie: about("eth_getTransactionByHash", (tx) => ({ ...tx, blockHash: hash() })),
  },
  { name: "gives transactions of null", lie: about("eth_getTransactionByHash", () => ({ hash: null, input: null })) },
];

function inTheMiddle(text: string): string {
  const at = Math.floor(text.length / 2);
  return text.slice(0, at) + (text[at] === "0" ? "1" : "0") + text.slice(at + 1);
}

const CONTRACTS: LieRow[] = [
  { name: "returns nothing from contracts", lie: call(rollupAbi, [], () => []) },
  { name: "returns one word from contracts", lie: call(rollupAbi, [], (words) => words.slice(0, 1)) },
  { name: "returns words of zeros", lie: call(rollupAbi, [], (words) => words.map(() => word(0))) },
  { name: "returns words of ones", lie: call(rollupAbi, [], (words) => words.map(() => ONES)) },
  { name: "flips the last bit of every word", lie: call(rollupAbi, [], (words) => words.map(flipped)) },
  {
    name: "says that nothing is pending",
    lie: call(rollupAbi, ["status"], ([, proven, , , mine]) => [word(0), proven, word(0), proven, mine]),
  },
  {
    name: "says that 2^200 checkpoints are pending and proven",
    lie: call(rollupAbi, ["status"], ([, a, , b, c]) => [word(2n ** 200n), a, word(2n ** 200n), b, c]),
  },
  {
    name: "says that the stored checkpoint is another",
    lie: call(rollupAbi, ["status"], ([a, b, c, d]) => [a, b, c, d, ONES]),
  },
  {
    name: "gives other data for every checkpoint",
    lie: all(
      call(rollupAbi, ["status"], ([a, b, c, d]) => [a, b, c, d, ONES]),
      call(rollupAbi, ["archiveAt"], () => [ONES]),
    ),
  },
  {
    name: "says that the pending chain ends elsewhere",
    lie: call(rollupAbi, ["status"], ([a, b, c, , e]) => [a, b, c, ONES, e]),
  },
  { name: "says that checkpoints can be pruned", lie: call(rollupAbi, ["canPruneAtTime"], () => [word(1)]) },
  {
    name: "says that nothing is proven and all can be pruned",
    lie: all(
      call(rollupAbi, ["status"], ([, , c, d, e]) => [word(0), word(0), c, d, e]),
      call(rollupAbi, ["canPruneAtTime"], () => [word(1)]),
    ),
  },
  {
    name: "says that the head is final, with 2^40 proven checkpoints",
    lie: all(
      about("eth_getBlockByNumber", (b) => b),
      call(rollupAbi, ["getProvenCheckpointNumber"], () => [word(2n ** 40n)]),
    ),
  },
  {
    name: "says that 30,000 checkpoints are final",
    lie: call(rollupAbi, ["getProvenCheckpointNumber"], () => [word(30_000)]),
  },
  {
    name: "counts more messages than there are",
    lie: call(inboxAbi, ["getState"], (words) => words.map((w, i) => (i === 1 ? word(2n ** 60n) : w))),
  },
  { name: "counts no messages", lie: call(inboxAbi, ["getState"], (words) => words.map(() => word(0))) },
  {
    name: "gives another hash of the messages",
    lie: call(inboxAbi, ["getState"], ([, ...rest]) => [
      `${randomBytes(16).toString("hex")}${"0".repeat(32)}`,
      ...rest,
    ]),
  },
];

export const LIES: readonly LieRow[] = [...HTTP, ...ENVELOPES, ...LOGS, ...BLOCKS, ...TRANSACTIONS, ...CONTRACTS];
