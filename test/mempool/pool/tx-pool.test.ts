import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DropReasons } from "../../../src/mempool/pool/drop-reasons.ts";
import { BY_RANK } from "../../../src/mempool/pool/pre-add-rules.ts";
import { type PoolOptions, TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { mapKey, toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { type Tx, txBytes } from "../../../src/protocol/tx/tx.ts";
import { txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { openStore } from "../../../src/storage/store.ts";
import { StoreFullError } from "../../../src/storage/store-errors.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { anchorOf, ModelWorld } from "../../world/mempool/model-world.ts";
import { type PoolTxPlan, poolTx, seeded } from "../../world/mempool/pool-txs.ts";
import { STRIPPED_PROOF } from "../../world/protocol/v4-txs.ts";

const OPTIONS: PoolOptions = { rules: V4, maxPending: 1_000, archived: 0, deleteAfterReorg: false };
const RICH = new Map([[toHex(fr(77)), 10n ** 30n]]);
const CLIENT = { by: "fee", bumpPercentage: 10n } as const;

const tx = (name: string, plan: Partial<PoolTxPlan> = {}) =>
  poolTx({ hash: seeded(name), nullifiers: [seeded(`nullifier of ${name}`)], anchorHash: anchorOf(0), ...plan });

function setUp(options: Partial<PoolOptions> = {}) {
  const world = new ModelWorld(RICH);
  const store = new MemoryStore();
  const pool = new TxPool(store, world, { ...OPTIONS, ...options });
  return {
    world,
    store,
    pool,
    add: (...txs: ReturnType<typeof tx>[]) => pool.add(txs, CLIENT).map(({ outcome }) => outcome),
  };
}

describe("restart", () => {
  test("a pool on disk is restored after a restart, without the txs that blocks included meanwhile", async () => {
    const path = mkdtempSync(join(tmpdir(), "svc-pool-"));
    const world = new ModelWorld(RICH);
    const txs = [1, 2, 3, 4].map((i) => tx(`tx ${i}`, { fee: BigInt(i) }));
    let store = openStore({ path });
    try {
      new TxPool(store, world, OPTIONS).add(txs, CLIENT);
      await store.close();
      world.append([txs[2]], 50n, new Map());
      store = openStore({ path });
      const pool = new TxPool(store, world, OPTIONS);
      expect(pool.pendingHashes(10).map(toHex)).toEqual([3, 1, 0].map((i) => toHex(txs[i].hash)));
      expect(pool.status(txs[2].hash)).toBe("mined");
      expect(pool.eligible(60_000)).toHaveLength(3);
      for (const one of txs) {
        const stored = pool.get(one.hash) as Tx;
        expect(Buffer.from(stored.data).equals(one.tx.data)).toBe(true);
        expect(Buffer.from(stored.chonkProof).equals(one.tx.chonkProof)).toBe(true);
        expect(pool.hasTx(one.hash)).toBe(true);
        expect(Buffer.compare(pool.txBytes(one.hash)!, txToBytes(one.hash, one.tx))).toBe(0);
      }
      expect([pool.hasTx(new Uint8Array(32)), pool.txBytes(new Uint8Array(32))]).toEqual([false, undefined]);
    } finally {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    }
  });

  test("after clear() nothing of any tx is left, on disk either, even if the process is killed right then", async () => {
    const path = mkdtempSync(join(tmpdir(), "svc-pool-"));
    const world = new ModelWorld(RICH);
    const txs = [1, 2, 3].map((i) => tx(`tx ${i}`));
    const store = openStore({ path });
    const options = { ...OPTIONS, archived: 10 };
    const killed = join(path, "killed");
    try {
      const pool = new TxPool(store, world, options);
      pool.add(txs, CLIENT);
      pool.remove([txs[0].hash]);
      pool.clear();
      await store.copyTo(killed);
      const copy = openStore({ path: killed });
      const again = new TxPool(copy, world, options);
      for (const one of [pool, again]) {
        expect(one.isEmpty).toBe(true);
        expect(txs.map(({ hash }) => [one.status(hash), one.get(hash), one.archived(hash)]).flat(2)).toEqual(
          new Array(9).fill(undefined),
        );
      }
      expect(again.add(txs, CLIENT).map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "accepted"]);
      await copy.close();
    } finally {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    }
  });

  test("a restarted pool drops expired and spent txs, and damaged rows", () => {
    const { world, store, add } = setUp();
    const old = tx("old", { expiration: 150n });
    const rival = tx("rival");
    const kept = tx("kept");
    const damaged = tx("damaged");
    expect(add(old, rival, kept, damaged)).toEqual(["accepted", "accepted", "accepted", "accepted"]);
    world.append([tx("winner", { nullifiers: rival.nullifiers })], 50n, new Map());
    world.target = 200n;
    store.transaction(() => store.table("pool-txs").put(damaged.hash, new Uint8Array(100)));
    const again = new TxPool(store, world, OPTIONS);
    expect(again.pendingHashes(10).map(toHex)).toEqual([toHex(kept.hash)]);
    expect(store.size("pool-txs")).toBe(1);
  });
});

describe("the reason why a tx was dropped", () => {
  test("it is remembered after the body is gone, until the tx is back or the pool is restarted", () => {
    const { world, store, pool, add } = setUp({ rules: V4, maxPending: 4 });
    const spent = tx("spent", { fee: 5n });
    const old = tx("old", { fee: 5n, expiration: 150n });
    const failed = tx("failed", { fee: 5n });
    const cheap = tx("cheap", { fee: 1n });
    add(spent, old, failed, cheap);
    expect(add(tx("dear", { fee: 90n }))).toEqual(["accepted"]);
    pool.blockAdded(world.append([tx("winner", { nullifiers: spent.nullifiers })], 150n, new Map()));
    pool.remove([failed.hash]);
    pool.slotStarted(1);
    const reasons = (of: TxPool) => [spent, old, failed, cheap].map(({ hash }) => of.dropReason(hash));
    expect([spent, old, failed, cheap].map(({ hash }) => pool.status(hash))).toEqual(new Array(4).fill(undefined));
    expect(reasons(pool)).toEqual(["nullifier spent", "expired", "execution failed", "outbid"]);
    expect(add(cheap)).toEqual(["accepted"]);
    expect([pool.status(cheap.hash), pool.dropReason(cheap.hash)]).toEqual(["pending", undefined]);
    expect(reasons(new TxPool(store, world, OPTIONS))).toEqual(new Array(4).fill(undefined));
  });

  test("a start that finds a tx unfit remembers it", () => {
    const { world, store, add } = setUp();
    const rival = tx("rival");
    add(rival);
    world.append([tx("winner", { nullifiers: rival.nullifiers })], 50n, new Map());
    expect(new TxPool(store, world, OPTIONS).dropReason(rival.hash)).toBe("may not be pending");
  });

  test("the oldest reasons are forgotten first", () => {
    const reasons = new DropReasons(2);
    for (const name of ["a", "b", "a", "c"]) reasons.note(mapKey(seeded(name)), "reorg");
    expect(["a", "b", "c"].map((name) => reasons.of(seeded(name)))).toEqual(["reorg", undefined, "reorg"]);
  });
});

test("a nearly full disk keeps txs out with an error that says so, until there is room again", () => {
  const { store, pool, add } = setUp();
  store.free = 15 * 2 ** 20;
  expect(() => add(tx("late"))).toThrow(StoreFullError);
  expect(pool.pendingCount).toBe(0);
  store.free = 17 * 2 ** 20;
  expect(add(tx("late"))).toEqual(["accepted"]);
});

test("a failed commit leaves the pool in the state of the store", () => {
  const { store, pool, add } = setUp();
  const first = tx("first", { fee: 5n });
  const winner = tx("winner", { fee: 50n, nullifiers: first.nullifiers });
  add(first);
  store.failNext = true;
  expect(() => add(winner)).toThrow("no space left");
  expect(pool.pendingHashes(10).map(toHex)).toEqual([toHex(first.hash)]);
  expect(pool.status(winner.hash)).toBeUndefined();
  expect(pool.get(winner.hash)).toBeUndefined();
  expect(add(winner)).toEqual(["accepted"]);
  expect(pool.status(first.hash)).toBe("deleted");
});

describe("a reorg", () => {
  test("a reorg returns txs to the pool, also in place of conflicting ones, or deletes them if so configured", () => {
    for (const deleteAfterReorg of [false, true]) {
      const { world, pool, add } = setUp({ deleteAfterReorg });
      const mined = tx("mined", { fee: 9n });
      add(mined);
      pool.blockAdded(world.append([mined], 50n, new Map()));
      world.truncate(0);
      const rival = tx("rival", { fee: 3n, nullifiers: mined.nullifiers });
      expect(add(rival)).toEqual(["accepted"]);
      pool.pruned(0, 1);
      expect(pool.status(mined.hash)).toBe(deleteAfterReorg ? "deleted" : "pending");
      expect(pool.status(rival.hash)).toBe(deleteAfterReorg ? "pending" : "deleted");
      pool.slotStarted(99);
      expect(pool.get(mined.hash) !== undefined).toBe(true);
      pool.finalized(1);
      expect(pool.get(mined.hash) !== undefined).toBe(!deleteAfterReorg);
    }
  });

  test("a reorg of proposed blocks alone deletes no tx", () => {
    const { world, pool, add } = setUp({ deleteAfterReorg: true });
    const mined = tx("mined");
    add(mined);
    pool.blockAdded(world.append([mined], 50n, new Map()));
    world.truncate(0);
    pool.pruned(0, 0);
    expect(pool.status(mined.hash)).toBe("pending");
  });

  test("a reorg evicts txs that were proven against a removed block, once it returns a tx to the pool", () => {
    const { world, pool, add } = setUp();
    const mined = tx("mined");
    add(mined);
    pool.blockAdded(world.append([mined], 50n, new Map()));
    const onTop = tx("on top", { anchorHash: anchorOf(1) });
    expect(add(onTop)).toEqual(["accepted"]);
    world.truncate(0);
    pool.pruned(0, 1);
    expect(pool.pendingHashes(10).map(toHex)).toEqual([toHex(mined.hash)]);
  });
});

test("a listener for pending txs is called after txs became pending, and at no other time", () => {
  const { pool, add, store } = setUp();
  const counts: number[] = [];
  const leave = pool.onPending(() => void counts.push(pool.pendingCount));
  add(tx("a"), tx("b"));
  add(tx("a"));
  expect(counts).toEqual([2]);
  expect(toHex(pool.summary(seeded("a"))!.anchorHash)).toBe(toHex(anchorOf(0)));
  pool.remove([seeded("a")]);
  store.failNext = true;
  expect(() => add(tx("c"))).toThrow();
  expect(counts).toEqual([2]);
  leave();
  add(tx("d"));
  expect(counts).toEqual([2]);
});

describe("limits of the pool", () => {
  test("10,000 conflicting txs leave one pending and a limited number of bodies", () => {
    const size = txBytes(tx("any").tx);
    const { store, pool } = setUp({ kept: { mined: 0, deleted: 20 * size } });
    const nullifiers = [seeded("the one that all spend")];
    const fees = Array.from({ length: 10_000 }, (_, i) => BigInt((i * 7_919) % 10_007));
    let highest = -1n;
    for (let at = 0; at < fees.length; at += 500) {
      const batch = fees.slice(at, at + 500).map((fee, i) => tx(`conflict ${at + i}`, { fee, nullifiers }));
      pool.add(batch, BY_RANK);
      for (const fee of fees.slice(at, at + 500)) if (fee > highest) highest = fee;
      expect(pool.pendingCount).toBe(1);
      expect(pool.maxPriorityFees().feePerL2Gas).toBe(highest);
      expect(store.size("pool-txs")).toBeLessThanOrEqual(21);
      expect(store.size("pool-marks")).toBeLessThanOrEqual(20);
    }
    pool.slotStarted(1);
    expect(store.size("pool-txs")).toBe(1);
    expect(store.size("pool-marks")).toBe(0);
  });

  test("a full pool keeps the txs of the highest fees and stays full", () => {
    const { pool } = setUp({ rules: V4, maxPending: 50 });
    const outcomes = new Map<string, number>();
    for (let i = 0; i < 400; i++) {
      const [{ outcome, reason }] = pool.add([tx(`tx ${i}`, { fee: BigInt((i * 7_919) % 1_000) })], CLIENT);
      const kind = reason?.code ?? outcome;
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
      expect(pool.pendingCount).toBeLessThanOrEqual(50);
    }
    expect(pool.pendingCount).toBe(50);
    expect(outcomes.get("LOW_PRIORITY_FEE")).toBeGreaterThan(100);
  });

  test("a pool with too many bodies of mined txs drops those of the oldest blocks first", () => {
    const size = txBytes(tx("any").tx);
    const { world, pool, store, add } = setUp({ kept: { mined: 3 * size, deleted: 0 } });
    const txs = [1, 2, 3, 4, 5].map((i) => tx(`tx ${i}`));
    add(...txs);
    for (const one of txs) pool.blockAdded(world.append([one], 50n, new Map()));
    expect(txs.map(({ hash }) => pool.get(hash) !== undefined)).toEqual([false, false, true, true, true]);
    expect(store.size("pool-txs")).toBe(3);
  });

  test("the archive keeps the last finalized txs without proofs", () => {
    const { world, pool, store, add } = setUp({ archived: 2 });
    const txs = [1, 2, 3].map((i) => tx(`tx ${i}`));
    add(...txs);
    for (const one of txs) {
      pool.blockAdded(world.append([one], 50n, new Map()));
      pool.finalized(world.tip);
    }
    pool.slotStarted(5);
    expect(txs.map(({ hash }) => pool.archived(hash) !== undefined)).toEqual([false, true, true]);
    expect(pool.get(txs[2].hash)).toBeUndefined();
    expect(Buffer.from(pool.archived(txs[2].hash)?.chonkProof ?? []).equals(STRIPPED_PROOF)).toBe(true);
    expect([store.size("pool-txs"), store.size("pool-archive"), store.size("pool-archive-hashes")]).toEqual([0, 2, 2]);
  });

  test("a pool without a limit keeps all pending txs", () => {
    const { pool } = setUp({ rules: V4, maxPending: 0 });
    pool.add(
      Array.from({ length: 1_200 }, (_, i) => tx(`tx ${i}`)),
      CLIENT,
    );
    expect(pool.pendingCount).toBe(1_200);
  });
});
