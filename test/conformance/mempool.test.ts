import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { feePayerBalanceSlot } from "../../src/core/derive/public-storage.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import { type FreshTxPlan, freshTx, txJson } from "../world/mempool/fresh-txs.ts";
import { NodeProcess, type RecordedL1, startRecordedL1 } from "../world/node/recorded-node.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";

const core = loadCore();
const recorded = recordedTxs();
const template = recorded.find(({ tx }) => tx.data[0] === 0 && tx.contractClassLogFields.length === 0);
if (template === undefined) throw new Error("no private tx was recorded");
const fresh = (plan: FreshTxPlan) => txJson(core, freshTx(template, plan));

let l1: RecordedL1;
let node: NodeProcess;
beforeAll(async () => {
  l1 = await startRecordedL1();
  node = await NodeProcess.start(l1, undefined, { P2P_MAX_PENDING_TX_COUNT: "3" });
  await node.ready();
});
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

interface JsonError {
  code: number;
  message: string;
  data?: Record<string, string>;
}

const answer = async (method: string, ...params: unknown[]) => {
  const { body, status } = await node.call(method, params);
  return { status, result: body.result, error: body.error as JsonError | undefined };
};
const send = (json: Record<string, unknown>) => answer("node_sendTx", json);
const first = fresh({ nullifier: "a", priorityFee: 1_000n });

test("a node that accepts all proofs logs that proofs are not checked", () => {
  expect(node.log).toContain("PROOFS OF TRANSACTIONS ARE NOT CHECKED");
});

test("a tx that is in a block is accepted again without effect, and another one with its nullifiers is refused", async () => {
  for (const { json, tx } of [recorded[0], recorded[20], recorded[60]]) {
    expect(await send(json)).toEqual({ status: 200, result: null, error: undefined });
    const data = new Uint8Array(tx.data);
    data[TX_DATA_AT.maxFeesPerGas + 31] ^= 1;
    const { status, error } = await send(txJson(core, { ...tx, data }).json);
    expect(status).toBe(400);
    expect(error?.code).toBe(-32702);
    // Whether the tx has expired too depends on the age of the recording.
    expect(error?.message).toMatch(/^Invalid tx: (Invalid expiration timestamp, )?Existing nullifier$/);
  }
  expect((await answer("node_getPendingTxCount")).result).toBe(0);
});

test("a valid tx is accepted and can be read over every pool method", async () => {
  expect(await answer("node_isValidTx", first.json)).toMatchObject({ result: { result: "valid" } });
  expect(await send({ ...first.json, txHash: "0x01" })).toEqual({ status: 200, result: null, error: undefined });
  expect((await answer("node_getTxReceipt", first.hash)).result).toEqual({ txHash: first.hash, status: "pending" });
  expect((await answer("node_getTxByHash", first.hash)).result).toEqual(first.json);
  expect((await answer("node_getPendingTxs")).result).toEqual([first.json]);
  expect((await answer("node_getPendingTxCount")).result).toBe(1);
  const stripped = (await answer("svc_getTxByHash", first.hash)).result as Record<string, unknown>;
  expect(stripped.data).toBe(first.json.data);
  const receipt = await answer("svc_getTxReceipt", first.hash, { includePendingTx: true, includeProof: true });
  expect(receipt.result).toEqual({ txHash: first.hash, status: "pending", tx: first.json });
  expect((await answer("node_getMaxPriorityFees")).result).toEqual({ feePerDaGas: "0", feePerL2Gas: "1000" });
});

test("a tx sent again changes nothing", async () => {
  expect((await send(first.json)).status).toBe(200);
  expect((await answer("node_getPendingTxCount")).result).toBe(1);
});

test("a tx with a pending nullifier has to bid a tenth more", async () => {
  const rival = fresh({ nullifier: "a", priorityFee: 1_099n });
  const message = `Nullifier conflict with existing tx ${first.hash}. Minimum required fee: 1100, got: 1099`;
  expect((await send(rival.json)).error).toEqual({
    code: -32702,
    message,
    data: {
      code: "NULLIFIER_CONFLICT",
      message,
      conflictingTxHash: first.hash,
      minimumPriceBumpFee: "1100",
      txPriorityFee: "1099",
    },
  });
  const winner = fresh({ nullifier: "a", priorityFee: 1_100n });
  expect((await send(winner.json)).status).toBe(200);
  expect((await answer("node_getTxReceipt", first.hash)).result).toMatchObject({ status: "dropped" });
  expect((await answer("node_getPendingTxs")).result).toEqual([winner.json]);
});

test("a fee payer cannot promise more than its balance", async () => {
  const poor = fresh({ nullifier: "b", feePayer: fr(4_711) });
  expect((await send(poor.json)).error?.message).toBe("Invalid tx: Insufficient fee payer balance");
  // Each of the two is covered alone: 440,000 gas at 1.5 * 10^16, of a balance of at most 10^22.
  const [one, two] = ["c", "d"].map((nullifier, i) =>
    fresh({ nullifier, maxFee: 15n * 10n ** 15n, priorityFee: BigInt(10 - i) }),
  );
  expect((await send(one.json)).status).toBe(200);
  const { error } = await send(two.json);
  expect(error?.data?.code).toBe("INSUFFICIENT_FEE_PAYER_BALANCE");
  expect(error?.data?.feeLimit).toBe(String(440_000n * 15n * 10n ** 15n));
});

test("a full pool accepts only a tx that outbids its lowest", async () => {
  expect((await send(fresh({ nullifier: "e", priorityFee: 100n }).json)).status).toBe(200);
  expect((await answer("node_getPendingTxCount")).result).toBe(3);
  const { error } = await send(fresh({ nullifier: "f", priorityFee: 10n }).json);
  expect(error?.data).toEqual({
    code: "LOW_PRIORITY_FEE",
    message: "Tx does not meet minimum priority fee. Required: 11, got: 10",
    minimumPriorityFee: "11",
    txPriorityFee: "10",
  });
  expect((await send(fresh({ nullifier: "f", priorityFee: 11n }).json)).status).toBe(200);
  expect((await answer("node_getPendingTxCount")).result).toBe(3);
});

describe("simulation", () => {
  type Output = {
    globalVariables: Record<string, unknown>;
    txEffect: { txHash: string; transactionFee: string; publicDataWrites: { value: string }[] };
    gasUsed: Record<string, { daGas: number; l2Gas: number }>;
    publicReturnValues: unknown[];
    revertReason?: { originalMessage: string };
  };
  const simulate = async (namespace: string, ...params: unknown[]) => {
    const { result, error } = await answer(`${namespace}_simulatePublicCalls`, ...params);
    return { output: result as Output, error };
  };
  const simulated = fresh({ nullifier: "g", priorityFee: 7n });

  test("a simulated private tx pays its fee in the next block", async () => {
    const { output } = await simulate("node", simulated.json);
    const tip = (await answer("node_getBlockNumber")).result as number;
    const fees = (await answer("node_getCurrentMinFees")).result as { feePerL2Gas: string };
    expect(output.globalVariables).toMatchObject({
      blockNumber: tip + 1,
      coinbase: `0x${"0".repeat(40)}`,
      gasFees: fees,
    });
    const { daGas, l2Gas } = output.gasUsed.billedGas;
    expect(daGas).toBeGreaterThan(0);
    expect(BigInt(output.txEffect.transactionFee)).toBe((BigInt(fees.feePerL2Gas) + 7n) * BigInt(l2Gas));
    expect(output.txEffect.txHash).toBe(simulated.hash);
    expect(output.publicReturnValues).toEqual([]);
    expect(output.txEffect.publicDataWrites).toHaveLength(1);
  });

  test("a simulation does not change the pool or the state", async () => {
    const before = await answer("node_getPendingTxCount");
    const twice = [await simulate("node", simulated.json), await simulate("node", simulated.json)];
    expect(twice[0]).toEqual(twice[1]);
    expect(await answer("node_getPendingTxCount")).toEqual(before);
  });

  test("the simulation of a spent tx fails with an error about its nullifier", async () => {
    const { error } = await simulate("node", recorded[10].json);
    expect(error?.code).toBe(-32702);
    expect(error?.message).toMatch(/duplicate|nullifier/i);
  });

  test("a simulation uses the storage overrides", async () => {
    const { json } = fresh({ nullifier: "h", feePayer: fr(4_711) });
    expect((await simulate("svc", json)).error?.message).toMatch(/Not enough balance/);
    const slot = toHex(feePayerBalanceSlot(core, fr(4_711)));
    const value = toHex(fr(10n ** 21n));
    const overrides = { publicStorage: [{ contract: toHex(fr(5)), slot, value }] };
    const { output, error } = await simulate("svc", json, false, overrides);
    expect(error).toBeUndefined();
    const fee = BigInt(output.txEffect.transactionFee);
    expect(BigInt(output.txEffect.publicDataWrites[0].value)).toBe(10n ** 21n - fee);
  });

  test("the simulation of public calls runs them", async () => {
    const withCalls = recorded.find(({ tx }) => tx.data[0] === 1 && tx.publicFunctionCalldata.length === 1);
    const { json } = txJson(core, freshTx(withCalls ?? template, { nullifier: "i" }));
    const { output, error } = await simulate("node", json, true);
    expect(error).toBeUndefined();
    expect(output.gasUsed.publicGas.l2Gas).toBeGreaterThan(0);
    expect(output.publicReturnValues).toHaveLength(1);
  });
});

test("pages of pending txs follow their priority", async () => {
  const all = (await answer("node_getPendingTxs")).result as { txHash: string }[];
  const hashes = all.map(({ txHash }) => txHash);
  expect(hashes).toHaveLength(3);
  const pages = [];
  for (let after: string | undefined; ; ) {
    const page = (await answer("node_getPendingTxs", 1, after)).result as { txHash: string }[];
    if (page.length === 0) break;
    after = page[0].txHash;
    pages.push(after);
  }
  expect(pages).toEqual(hashes);
  const found = (await answer("svc_getTxsByHash", [hashes[2], `0x${"0".repeat(63)}7`, hashes[0]])).result;
  expect((found as { txHash: string }[]).map(({ txHash }) => txHash)).toEqual([hashes[2], hashes[0]]);
});

test("a killed node restores its pool", async () => {
  const before = (await answer("node_getPendingTxs")).result;
  await node.end("SIGKILL");
  const again = await NodeProcess.start(l1, node.dataDirectory, { P2P_MAX_PENDING_TX_COUNT: "3" });
  node = again;
  await node.ready();
  expect((await answer("node_getPendingTxs")).result).toEqual(before);
});

test("a node with transactions disabled is not ready and refuses a tx", async () => {
  const closed = await NodeProcess.start(l1, undefined, { TRANSACTIONS_DISABLED: "true" });
  try {
    await closed.synced();
    expect((await closed.ask("isReady")).body.result).toBe(false);
    const { body } = await closed.call("node_sendTx", [first.json]);
    expect(body.error?.message).toContain("Invalid tx");
  } finally {
    await closed.remove();
  }
});

test("a node that cannot check proofs is not ready and refuses a tx", async () => {
  const careful = await NodeProcess.start(l1, undefined, { PROVER_REAL_PROOFS: "true", BB_BINARY_PATH: "/nowhere/bb" });
  try {
    await careful.synced();
    expect((await careful.ask("isReady")).body.result).toBe(false);
    expect((await careful.call("svc_isReady", [])).body.result).toBe(false);
    expect(careful.log).toContain("transactions are refused: this node has no proof verifier");
    const { body } = await careful.call("node_sendTx", [first.json]);
    expect(body.error?.message).toContain("Transactions are not accepted: this node cannot check proofs");
    const simulated = await careful.call("node_isValidTx", [first.json, { isSimulation: true }]);
    expect(simulated.body.result).toEqual({ result: "valid" });
  } finally {
    await careful.remove();
  }
});
