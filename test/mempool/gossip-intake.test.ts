import { expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { DigestQueueFullError, type Digests } from "../../src/mempool/digest/tx-digest.ts";
import { GossipIntake } from "../../src/mempool/gossip-intake.ts";
import { TxPool } from "../../src/mempool/pool/tx-pool.ts";
import type { CheckContext } from "../../src/mempool/validation/checks/context.ts";
import { TxValidator } from "../../src/mempool/validation/tx-validator.ts";
import { concat, fromHex } from "../../src/protocol/bytes.ts";
import { FR_MODULUS } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { REASON } from "../../src/protocol/tx/refusal-reasons.ts";
import { txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import { contextFor, freeState } from "../world/mempool/context.ts";
import { MemoryStore } from "../world/mempool/memory-store.ts";
import { digestTx } from "../world/mempool/v4-digests.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";

const core = loadCore();
const [{ tx, hash }, { tx: otherTx, hash: otherHash }] = recordedTxs();
const bytes = txToBytes(hash, tx);

interface World {
  context?: Partial<CheckContext>;
  proofHolds?: boolean;
  mayBePending?: boolean;
  feeJuice?: bigint;
  stateAt?: (block: number) => { hasNullifier(): boolean } | undefined;
}

/** An intake over a real pool and validator; counts what was hashed and proven. */
function intake({ context, proofHolds = true, mayBePending = true, feeJuice = 10n ** 30n, stateAt }: World = {}) {
  const done = { hashed: 0, proven: 0 };
  const digests: Digests = {
    whole: async (of) => {
      done.hashed++;
      return digestTx(core, of);
    },
    hash: () => Promise.reject(new Error("a hash was asked for")),
    content: () => Promise.reject(new Error("a content was asked for")),
  };
  const store = new MemoryStore();
  const pool = new TxPool(
    store,
    {
      minedIn: () => undefined,
      admission: () => () => mayBePending,
      feeJuice: () => feeJuice,
      hasBlock: () => true,
      now: () => 1,
    },
    { rules: V4, maxPending: 10, archived: 0, deleteAfterReorg: false },
  );
  const validator = new TxValidator({
    digests: { ...digests, whole: () => Promise.reject(new Error("the clients' threads were asked")) },
    peerDigests: digests,
    contexts: {
      rules: V4,
      currentMinFees: () => Promise.reject(new Error("L1 was asked")),
      latestBlockFees: () => ({ feePerDaGas: 0n, feePerL2Gas: 0n }),
      next: (gasFees) => contextFor(tx, { gasFees, ...context }),
    },
    proofs: {
      verify: async () => {
        done.proven++;
        return proofHolds;
      },
      close: async () => undefined,
    },
  });
  const options = { stateAt: stateAt ?? (() => undefined) };
  const gossip = new GossipIntake({ validator, pool, options, transactions: V4.transactions });
  return { take: (of: Uint8Array) => gossip.take(of), pool, done };
}

test("a valid gossiped tx is in the pool when it is accepted, with the bytes that came", async () => {
  const { take, pool, done } = intake();
  // Bytes after a tx are not part of it.
  expect(await take(concat(bytes, Uint8Array.of(1, 2, 3)))).toEqual({ result: "accept" });
  expect(pool.status(hash)).toBe("pending");
  expect(Buffer.compare(txToBytes(hash, pool.get(hash) ?? otherTx), bytes)).toBe(0);
  expect(done).toEqual({ hashed: 1, proven: 1 });
});

test("a gossiped tx that the pool has is ignored and nothing of it is hashed", async () => {
  const { take, done } = intake();
  await take(bytes);
  expect(await take(bytes)).toMatchObject({ result: "ignore" });
  expect(done).toEqual({ hashed: 1, proven: 1 });
});

test("bytes that are no tx are rejected at the largest cost", async () => {
  const { take } = intake();
  const proofCount = Uint8Array.from(bytes);
  proofCount[32 + tx.data.length + 3]++;
  const field = Uint8Array.from(bytes);
  field.set(fromHex(`0x${FR_MODULUS.toString(16).padStart(64, "0")}`), 32 + tx.data.length + 4);
  for (const broken of [new Uint8Array(0), bytes.subarray(0, -1), bytes.subarray(0, 40_000), proofCount, field]) {
    expect(await take(broken)).toMatchObject({ result: "reject", tolerance: "low" });
  }
});

const spent = freeState({ hasNullifier: () => true });

test.each([
  ["that expired", { target: { timestamp: 2n ** 63n, blockNumber: 13 } }, "high", REASON.expired],
  ["where transactions are not permitted", { permitted: false }, "mid", REASON.notPermitted],
  ["of another chain", { network: { ...contextFor(tx).network, chainId: new Uint8Array(32) } }, "mid", REASON.chainId],
  [
    "whose gas limits are too high",
    { gasLimits: { daGas: 0, l2Gas: 0 } },
    "mid",
    `${REASON.gasLimitHigh} ${V4.transactions.refusals.maxGas}`,
  ],
  ["that its payer cannot pay", { state: freeState({ feeJuice: () => 0n }) }, "mid", REASON.balance],
  ["whose nullifier was spent lately", { state: spent }, "high", REASON.existingNullifier],
] as const)("a gossiped tx %s is rejected without hashing it", async (_, context, tolerance, reason) => {
  const { take, done } = intake({ context });
  expect(await take(bytes)).toEqual({ result: "reject", tolerance, reason });
  expect(done).toEqual({ hashed: 0, proven: 0 });
});

test("a gossiped tx whose nullifier was spent long ago is rejected at the largest cost", async () => {
  const context = { state: spent, target: { timestamp: 1n, blockNumber: 40 } };
  const { take } = intake({ context, stateAt: () => ({ hasNullifier: () => true }) });
  expect(await take(bytes)).toMatchObject({ result: "reject", tolerance: "low" });
});

test.each([
  ["with the hash of another tx", txToBytes(otherHash, tx), {}, "mid", REASON.hash],
  ["with an unknown anchor block", bytes, { state: freeState({ hasBlock: () => false }) }, "high", REASON.anchorBlock],
  [
    "with other calldata than its call commits to",
    txToBytes(hash, { ...tx, publicFunctionCalldata: [{ values: new Uint8Array(32), hash: new Uint8Array(32) }] }),
    {},
    "mid",
    REASON.calldata,
  ],
  [
    "with a contract class log that nobody emits",
    txToBytes(hash, { ...tx, contractClassLogFields: [new Uint8Array(3023 * 32)] }),
    {},
    "mid",
    REASON.classLogCount,
  ],
] as const)(
  "a gossiped tx %s is rejected and its proof is not checked",
  async (_, broken, context, tolerance, reason) => {
    const { take, done } = intake({ context });
    const { reason: given, ...verdict } = await take(broken);
    expect(verdict).toEqual({ result: "reject", tolerance });
    expect(given).toContain(reason);
    expect(done).toEqual({ hashed: 1, proven: 0 });
  },
);

test("a gossiped tx that the pool would not take is ignored and its proof is not checked", async () => {
  const { take, done } = intake({ feeJuice: 0n });
  expect(await take(bytes)).toMatchObject({ result: "ignore" });
  expect(done).toEqual({ hashed: 1, proven: 0 });
});

test("a gossiped tx with a wrong proof is rejected at the largest cost and is not in the pool", async () => {
  const { take, pool } = intake({ proofHolds: false });
  expect(await take(bytes)).toEqual({ result: "reject", tolerance: "low", reason: REASON.proof });
  expect(pool.status(hash)).toBeUndefined();
});

test("a gossiped tx that can no longer be pending is rejected without a penalty", async () => {
  const { take } = intake({ mayBePending: false });
  expect(await take(bytes)).toEqual({ result: "reject" });
});

test("a gossiped tx with a fee that is too low for now goes on to the pool", async () => {
  const { take } = intake({ context: { gasFees: { feePerDaGas: 0n, feePerL2Gas: 10n ** 30n } } });
  expect(await take(bytes)).toEqual({ result: "accept" });
});

test("a busy node does not hold a tx against its peer", async () => {
  const gossip = new GossipIntake({
    validator: {
      fromGossip: () => Promise.reject(new DigestQueueFullError(64)),
      proofHolds: () => Promise.reject(new Error("not reached")),
    },
    pool: { add: () => [], status: () => undefined, wouldAccept: () => true },
    options: { stateAt: () => undefined },
    transactions: V4.transactions,
  });
  await expect(gossip.take(bytes)).rejects.toBeInstanceOf(DigestQueueFullError);
});
