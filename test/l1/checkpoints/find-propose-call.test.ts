import { encodeFunctionData, type Hex } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import { MULTICALL3_ADDRESS, multicall3Abi } from "../../../src/l1/abi/multicall3.ts";
import { SPIRE_IMPLEMENTATION_ADDRESS, SPIRE_PROPOSER_ADDRESS, spireProposerAbi } from "../../../src/l1/abi/spire.ts";
import { findProposeCall } from "../../../src/l1/checkpoints/find-propose-call.ts";
import { readProposedEvent } from "../../../src/l1/checkpoints/proposed-event.ts";
import { CheckpointCalldataError } from "../../../src/l1/errors.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type HttpFake, RpcFailure, rpcFake } from "../../world/l1/http-fake.ts";
import { l1Vectors } from "../../world/l1/vectors.ts";

const { scenario } = l1Vectors;
/** Sent directly to the rollup, so its input is the bare propose call. */
const vector = scenario.checkpoints[0];
const rollupAddress = scenario.constants.rollup.toLowerCase();
const propose = vector.tx.input;
const altered = propose.replace(/.{8}$/, "ffffffff") as Hex;
const otherProposal = scenario.checkpoints[1].tx.proposeCalldata as Hex;
const other = `0x${"77".repeat(20)}` as Hex;
const hash = fromHex(vector.tx.hash);
const event = readProposedEvent({
  address: rollupAddress,
  topics: vector.event.topics.map(fromHex),
  data: fromHex(vector.event.data),
  blockNumber: 1,
  blockHash: new Uint8Array(32),
  transactionHash: hash,
  logIndex: 0,
});

const open: HttpFake[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((fake) => fake.close()));
});

async function find(tx: { to: string; input: Hex }, handler: (method: string, params: unknown[]) => unknown) {
  const fake = await rpcFake(handler);
  open.push(fake);
  const rpc = new L1Rpc({ urls: [fake.url], retryDelaysMs: [], logger: silentLogger });
  const context = { generation: V4, l1ChainId: 31337, rollupAddress, committeeSize: 6, rpc, debugRpc: rpc };
  return findProposeCall({ hash, to: tx.to, input: fromHex(tx.input) }, event, context);
}

const refuse = (method: string): never => {
  throw new RpcFailure(-32601, `${method} does not exist`);
};

const aggregate = (calls: { target: Hex; callData: Hex }[]) =>
  encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: true }))],
  });

const headerOf = async (found: ReturnType<typeof find>) => toHex((await found).header);
const expected = vector.computed.checkpointHeaderBuffer;

describe("Multicall3", () => {
  test("of several calls in a Multicall3 that look like a proposal, the one that the event commits to is found", async () => {
    const target = rollupAddress as Hex;
    const input = aggregate([
      { target: other, callData: propose },
      { target, callData: "0x9f2b3154" },
      { target, callData: otherProposal },
      { target, callData: `${propose.slice(0, 200)}` as Hex },
      { target, callData: propose },
    ]);
    expect(await headerOf(find({ to: MULTICALL3_ADDRESS, input }, refuse))).toBe(expected);
  });

  test("a Multicall3 with calls to other contracts only contains no proposal", async () => {
    const input = aggregate([{ target: other, callData: propose }]);
    await expect(find({ to: MULTICALL3_ADDRESS, input }, refuse)).rejects.toThrow(CheckpointCalldataError);
  });
});

describe("the Spire proposer", () => {
  const calls = (...inner: [Hex, Hex][]) =>
    encodeFunctionData({
      abi: spireProposerAbi,
      functionName: "multicall",
      args: [inner.map(([target, data]) => ({ proposer: other, target, data, value: 0n, gasLimit: 1n }))],
    });
  const implementation = (address: string) => (method: string) =>
    method === "eth_getStorageAt" ? `0x${"00".repeat(12)}${address.slice(2)}` : refuse(method);

  test("the call that a Spire proposer wraps is found", async () => {
    const tx = { to: SPIRE_PROPOSER_ADDRESS, input: calls([other, propose], [rollupAddress as Hex, propose]) };
    expect(await headerOf(find(tx, implementation(SPIRE_IMPLEMENTATION_ADDRESS)))).toBe(expected);
  });

  test("a call that a Spire proposer wraps in Multicall3 is found", async () => {
    const inner = aggregate([{ target: rollupAddress as Hex, callData: propose }]);
    const tx = { to: SPIRE_PROPOSER_ADDRESS, input: calls([MULTICALL3_ADDRESS, inner]) };
    expect(await headerOf(find(tx, implementation(SPIRE_IMPLEMENTATION_ADDRESS)))).toBe(expected);
  });

  test("a Spire proposer with another implementation is not trusted", async () => {
    const tx = { to: SPIRE_PROPOSER_ADDRESS, input: calls([rollupAddress as Hex, propose]) };
    await expect(find(tx, implementation(other))).rejects.toThrow(/no known wrapper calls propose/);
  });
});

describe("an unknown wrapper", () => {
  const tx = { to: other, input: "0x12345678" as Hex };
  const flat = (trace: object[], method: string) => (method === "trace_transaction" ? trace : refuse(method));
  const call = (traceAddress: number[], fields: object = {}, action: object = {}) => ({
    type: "call",
    traceAddress,
    action: { callType: "call", from: other, to: rollupAddress, input: propose, ...action },
    ...fields,
  });
  const root = call([], {}, { to: other, input: "0x12345678" });

  test("the proposal in an unknown wrapper is found by trace_transaction", async () => {
    const trace = [
      root,
      call([0], {}, { callType: "delegatecall" }),
      call([1], { error: "Reverted" }, { to: other }),
      call([1, 0]),
      call([2], {}, { input: "0x9f2b3154" }),
      call([10]),
    ];
    expect(await headerOf(find(tx, (method) => flat(trace, method)))).toBe(expected);
  });

  test("the proposal in an unknown wrapper is found by debug_traceTransaction if the other method is missing", async () => {
    const tree = {
      type: "CALL",
      to: other,
      input: "0x12345678",
      calls: [
        { type: "DELEGATECALL", to: rollupAddress, input: propose },
        {
          type: "CALL",
          to: other,
          input: "0x",
          error: "execution reverted",
          calls: [{ type: "CALL", to: rollupAddress, input: propose }],
        },
        { type: "CALL", to: other, input: "0x", calls: [{ type: "CALL", to: rollupAddress, input: propose }] },
      ],
    };
    const seen: unknown[] = [];
    const handler = (method: string, params: unknown[]) => {
      if (method !== "debug_traceTransaction") return refuse(method);
      seen.push(params);
      return tree;
    };
    expect(await headerOf(find(tx, handler))).toBe(expected);
    expect(seen).toEqual([[vector.tx.hash, { tracer: "callTracer" }]]);
  });

  test.each([
    ["makes no such call", [root], /0 found/],
    ["makes two", [root, call([0]), call([1])], /2 found/],
    [
      "makes one that the event does not commit to",
      [root, call([0], {}, { input: otherProposal })],
      /trace: .* do not hash/,
    ],
    ["has another form", [{ type: "call" }], /trace/],
  ])("a transaction in an unknown wrapper is refused if its trace %s", async (_, trace, reason) => {
    const error = await find(tx, (method) => flat(trace, method)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(CheckpointCalldataError);
    expect((error as Error).message).toMatch(reason);
  });

  test("a transaction in an unknown wrapper is refused if no endpoint can trace", async () => {
    await expect(find(tx, refuse)).rejects.toThrow(/debug_traceTransaction/);
  });
});

test("calldata with a different unhashed tail is the same proposal", async () => {
  expect(await headerOf(find({ to: rollupAddress, input: altered }, refuse))).toBe(expected);
});
