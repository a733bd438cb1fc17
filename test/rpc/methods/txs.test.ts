import { describe, expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { openRpcDocument } from "../../../src/rpc/openrpc/document.ts";
import type { DroppedTx, Mempool } from "../../../src/rpc/ports/mempool.ts";
import type { RevertWords } from "../../../src/rpc/ports/node-status.ts";
import { publicRegistry } from "../../../src/rpc/server/public-registry.ts";
import { STRIPPED_PROOF } from "../../world/protocol/v4-txs.ts";
import { svc } from "../../world/rpc/development-chain.ts";
import { fakeContent, fakeServices, settledTx, wordOf } from "../../world/rpc/fakes.ts";
import { recordedChain } from "../support/recorded.ts";

/** All of its fields are 7. */
const PROOF = STRIPPED_PROOF.map((byte, i) => (i >= 4 && (i - 3) % 32 === 0 ? 7 : byte));

const { ask } = svc();

const pooled: Tx = {
  data: Uint8Array.of(1, 2),
  chonkProof: PROOF,
  contractClassLogFields: [wordOf(1)],
  publicFunctionCalldata: [{ values: wordOf(2), hash: wordOf(3) }],
};
const pending = wordOf(8);
const pool: Mempool = {
  submit: async () => {},
  status: (hash) => (Buffer.compare(hash, pending) === 0 ? "pending" : undefined),
  get: async (hash) => (Buffer.compare(hash, pending) === 0 ? { hash, tx: pooled } : undefined),
  list: async (limit, after) => (after ? [] : new Array(Math.min(limit, 3)).fill({ hash: pending, tx: pooled })),
  count: () => 3,
  maxPriorityFees: () => ({ feePerDaGas: 1n, feePerL2Gas: 5n }),
};
const withRevert = (revertCode: number) => fakeContent({ settledTx: () => settledTx({ revertCode }) });
const settledHash = toHex(wordOf(7));
const pendingHash = toHex(pending);
const full = {
  txHash: pendingHash,
  data: "AQI=",
  chonkProof: Buffer.from(PROOF).toString("base64"),
  contractClassLogFields: [{ fields: [toHex(wordOf(1))] }],
  publicFunctionCalldata: [{ values: [toHex(wordOf(2))], hash: toHex(wordOf(3)) }],
};
const stripped = { ...full, chonkProof: Buffer.from(STRIPPED_PROOF).toString("base64") };

test("receipts of settled txs have the form of their namespace", async () => {
  const common = {
    txHash: settledHash,
    status: "checkpointed",
    transactionFee: "255",
    blockHash: toHex(wordOf(0x12)),
    blockNumber: 2,
    epochNumber: 2,
  };
  for (const code of [0, 1, 2, 3, 4, 255]) {
    const { ask: askTx } = svc({ content: withRevert(code) });
    const executionResult = code === 0 ? "success" : "reverted";
    expect(await askTx("node_getTxReceipt", settledHash)).toEqual({ ...common, executionResult });
    const development = {
      ...common,
      executionResult,
      slotNumber: 70,
      txIndexInBlock: 1,
    };
    expect(await askTx("svc_getTxReceipt", settledHash)).toEqual(development);
    const withEffect = await askTx("svc_getTxReceipt", settledHash, {
      includeTxEffect: true,
      includePendingTx: true,
    });
    expect(withEffect).toMatchObject({
      ...development,
      txEffect: { revertCode: Math.min(code, 1), txHash: settledHash },
    });
    expect(withEffect).not.toHaveProperty("tx");
    expect(await askTx("svc_getTxEffect", settledHash)).toMatchObject({
      data: { revertCode: Math.min(code, 1) },
      l2BlockNumber: 2,
      txIndexInBlock: 1,
      slotNumber: 70,
    });
    expect(await askTx("node_getTxEffect", settledHash)).toMatchObject({ data: { revertCode: Math.min(code, 1) } });
    expect(await askTx("node_getTxEffect", settledHash)).not.toHaveProperty("slotNumber");
  }
});

test("a node with the words of 4.1 says in the release namespace which phases a block calls reverted", async () => {
  const { status } = fakeServices();
  const results = ["success", "app_logic_reverted", "teardown_reverted", "both_reverted", "app_logic_reverted"];
  for (const [code, executionResult] of results.entries()) {
    const { ask: askTx } = svc({ content: withRevert(code), status: { ...status, revertWords: "4.1" } });
    expect(await askTx("node_getTxReceipt", settledHash)).toMatchObject({ executionResult });
    const shown = code > 3 ? 1 : code;
    expect(await askTx("node_getTxEffect", settledHash)).toMatchObject({ data: { revertCode: shown } });
    // The development namespace has its own.
    const development = { executionResult: code === 0 ? "success" : "reverted" };
    expect(await askTx("svc_getTxReceipt", settledHash)).toMatchObject(development);
  }
});

test("the description of the API has the words that the node says", () => {
  type Properties = Record<string, { enum?: unknown[] }>;
  const described = (revertWords: RevertWords) => {
    const registry = publicRegistry(fakeServices({ status: { ...fakeServices().status, revertWords } }));
    const { components } = openRpcDocument(registry, ["node", "svc"]);
    const { ReleaseTxReceipt, ReleaseTxEffect } = components.schemas as unknown as Record<
      string,
      { properties: Properties }
    >;
    return [ReleaseTxReceipt.properties.executionResult.enum, ReleaseTxEffect.properties.revertCode.enum];
  };
  expect(described("4.3")).toEqual([
    ["success", "reverted"],
    [0, 1],
  ]);
  expect(described("4.1")).toEqual([
    ["success", "app_logic_reverted", "teardown_reverted", "both_reverted"],
    [0, 1, 2, 3],
  ]);
});

test.each<[number, string]>([
  [3, "proposed"],
  [2, "checkpointed"],
  [1, "proven"],
  [0, "finalized"],
])("the receipt of a tx in block %i is %s", async (blockNumber, status) => {
  const { ask: askTx } = svc({ content: fakeContent({ settledTx: () => settledTx({ blockNumber }) }) });
  expect(await askTx("svc_getTxReceipt", settledHash)).toMatchObject({ status });
  expect(await askTx("node_getTxReceipt", settledHash)).toMatchObject({ status });
});

test("receipts of pending and of unknown txs have the status pending and dropped", async () => {
  const { ask: askTx } = svc({ mempool: pool });
  const bare = { txHash: pendingHash, status: "pending" };
  expect(await askTx("svc_getTxReceipt", pendingHash)).toEqual(bare);
  expect(await askTx("node_getTxReceipt", pendingHash)).toEqual(bare);
  expect(await askTx("svc_getTxReceipt", pendingHash, { includePendingTx: true })).toEqual({ ...bare, tx: stripped });
  const attached = { includePendingTx: true, includeProof: true };
  expect(await askTx("svc_getTxReceipt", pendingHash, attached)).toEqual({ ...bare, tx: full });
  expect(await askTx("svc_getTxReceipt", settledHash)).toEqual({
    txHash: settledHash,
    status: "dropped",
    error: "Tx unknown to this node",
    known: false,
  });
});

test.each<[string, DroppedTx | undefined, string, object]>([
  ["was never seen", undefined, "Tx unknown to this node", { known: false }],
  [
    "left for a known reason",
    { reason: "expired" },
    "Tx dropped by P2P node: expired",
    { known: true, dropReason: "expired" },
  ],
  ["left before the start", { reason: undefined }, "Tx dropped by P2P node", { known: true }],
])("the receipt of a tx that %s says so", async (_, status, error, members) => {
  const { ask: askTx } = svc({ mempool: { ...pool, status: () => status } });
  const dropped = { txHash: settledHash, status: "dropped", error };
  expect(await askTx("node_getTxReceipt", settledHash)).toEqual(dropped);
  expect(await askTx("svc_getTxReceipt", settledHash)).toEqual({ ...dropped, ...members });
});

test("a tx included in a block during the call is not reported as dropped", async () => {
  let settled = false;
  const mempool: Mempool = {
    ...pool,
    status: async () => {
      settled = true;
      return undefined;
    },
  };
  const content = fakeContent({ settledTx: () => (settled ? settledTx() : undefined) });
  expect(await svc({ mempool, content }).ask("svc_getTxReceipt", settledHash)).toMatchObject({
    status: "checkpointed",
  });
});

test("pending txs come with their proof over node_, and on request over svc_", async () => {
  const { ask: askTx } = svc({ mempool: pool });
  expect(await askTx("node_getTxByHash", pendingHash)).toEqual(full);
  expect(await askTx("svc_getTxByHash", pendingHash)).toEqual(stripped);
  expect(await askTx("svc_getTxByHash", pendingHash, { includeProof: true })).toEqual(full);
  expect(await askTx("svc_getTxByHash", settledHash)).toBeNull();
  expect(await askTx("svc_getTxsByHash", [settledHash, pendingHash])).toEqual([stripped]);
  expect(await askTx("node_getTxsByHash", [pendingHash, settledHash])).toEqual([full]);
  expect(await askTx("svc_getTxsByHash", new Array(101).fill(pendingHash))).toEqual([
    -32701,
    "Array must contain at most 100 element(s) (0)",
  ]);
  expect(await askTx("svc_getPendingTxs", 2)).toEqual([stripped, stripped]);
  expect(await askTx("svc_getPendingTxs", null, null, { includeProof: true })).toEqual([full, full, full]);
  expect(await askTx("node_getPendingTxs", 1.5)).toEqual([full]);
  expect(await askTx("svc_getPendingTxs", 1, pendingHash)).toEqual([]);
  expect(await askTx("svc_getPendingTxs", 101)).toEqual([-32701, "Number must be less than or equal to 100 (0)"]);
  expect(await askTx("svc_getPendingTxCount")).toBe(3);
  expect(await askTx("svc_getMaxPriorityFees")).toEqual({ feePerDaGas: "1", feePerL2Gas: "5" });
});

describe("transactions sent transactions", () => {
  const recorded = recordedChain().filter(({ method, result }) => method === "getTxByHash" && result !== undefined);
  const [{ result: sample }] = recorded as { result: Record<string, unknown> }[];

  test("a sent tx is read back unchanged", async () => {
    expect(recorded.length).toBeGreaterThan(10);
    for (const { result } of recorded) {
      let received: Tx | undefined;
      const mempool: Mempool = {
        ...pool,
        submit: async (tx) => {
          received = tx;
        },
        get: (hash) => ({ hash, tx: received! }),
      };
      const { ask: askTx } = svc({ mempool });
      expect(await askTx("svc_sendTx", result)).toBeNull();
      expect(await askTx("node_getTxByHash", (result as { txHash: string }).txHash)).toEqual(result);
    }
  });

  test("a node without a pool refuses a sent tx after checking its form", async () => {
    for (const namespace of ["svc", "node"]) {
      expect(await ask(`${namespace}_sendTx`, sample)).toEqual([-32702, "P2P client not ready"]);
      const refusal = [-32702, "Transactions are not accepted by this node"];
      expect(await ask(`${namespace}_isValidTx`, sample)).toEqual(refusal);
      expect(await ask(`${namespace}_isValidTx`, sample, { isSimulation: null, other: 1 })).toEqual(refusal);
      expect(await ask(`${namespace}_simulatePublicCalls`, sample, true)).toEqual(refusal);
      expect(await ask(`${namespace}_sendTx`, {})).toEqual([
        -32701,
        "Required (0.contractClassLogFields). Required (0.publicFunctionCalldata). Invalid input (0.data). " +
          "Invalid input (0.chonkProof)",
      ]);
    }
  });

  test.each<[string, object, [number, string], [number, string]?]>([
    ["short data", { data: "AA==" }, [-32702, expect.stringContaining("Start index: 1, Num bytes to read: 32")]],
    ["two broken parts", { data: "AA==", chonkProof: "AA==" }, [-32702, expect.stringContaining("Buffer length: 1")]],
    [
      "a Buffer object",
      { chonkProof: { type: "Buffer", data: [0, 0, 0, 0] } },
      [-32702, "Invalid ChonkProof length: 0"],
    ],
    ["bad base64", { data: "A" }, [-32701, "Not a valid base64 string (0.data)"]],
    ["bytes out of range", { data: { type: "Buffer", data: [256] } }, [-32701, "Invalid input (0.data)"]],
    [
      "a class log of one field",
      { contractClassLogFields: [{ fields: ["0x1"] }] },
      [-32701, "Invalid input (0.contractClassLogFields.0.fields)"],
    ],
    [
      "calldata without hash",
      { publicFunctionCalldata: [{ values: [] }] },
      [-32701, "Required (0.publicFunctionCalldata.0.hash)"],
    ],
    [
      "calldata that is no field",
      { publicFunctionCalldata: [{ values: ["abcd"], hash: "0x1" }] },
      [-32702, "Tried to create a Fr from an invalid string: abcd"],
      // svc_ reads hex without 0x, so the form is right and the pool is asked.
      [-32702, "P2P client not ready"],
    ],
  ])("a tx with %s is refused", async (_, change, expected, inDevelopment = expected) => {
    expect(await ask("svc_sendTx", { ...sample, ...change })).toEqual(inDevelopment);
    expect(await ask("node_sendTx", { ...sample, ...change })).toEqual(expected);
  });

  test.each<[unknown, [number, string]]>([
    [
      { publicStorage: new Array(201).fill({ contract: toHex(wordOf(1)), slot: "0x1", value: "0x1" }) },
      [-32701, "publicStorage must have at most 200 entries (2.publicStorage)"],
    ],
    [
      { publicStorage: [{ contract: "0x1" }] },
      [
        -32701,
        "An address has 64 hex digits, received 1 (2.publicStorage.0.contract). Required (2.publicStorage.0.slot). Required (2.publicStorage.0.value)",
      ],
    ],
    [
      { contracts: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [String(i), {}])) },
      [-32701, "contracts must have at most 50 entries (2.contracts)"],
    ],
    [
      { contracts: { "0x1": {} } },
      [-32701, "An address has 64 hex digits, received 1 (2.contracts.0x1). Required (2.contracts.0x1.instance)"],
    ],
    [{}, [-32702, "Transactions are not accepted by this node"]],
  ])("simulation overrides, case %#", async (overrides, expected) => {
    expect(await ask("svc_simulatePublicCalls", sample, null, overrides)).toEqual(expected);
  });
});
