import { expect, test } from "vitest";
import { BY_RANK } from "../../../src/mempool/pool/pre-add-rules.ts";
import { type PoolOptions, TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { txBytes } from "../../../src/protocol/tx/tx.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { anchorOf, ModelWorld } from "../../world/mempool/model-world.ts";
import { type PoolTxPlan, poolTx, seeded } from "../../world/mempool/pool-txs.ts";

const OPTIONS: PoolOptions = { rules: V4, maxPending: 1_000, archived: 0, deleteAfterReorg: false };
const RICH = new Map([[toHex(fr(77)), 10n ** 30n]]);

const tx = (name: string, plan: Partial<PoolTxPlan> = {}) =>
  poolTx({ hash: seeded(name), nullifiers: [seeded(`nullifier of ${name}`)], anchorHash: anchorOf(0), ...plan });

function setUp(options: Partial<PoolOptions> = {}) {
  const world = new ModelWorld(RICH);
  const pool = new TxPool(new MemoryStore(), world, { ...OPTIONS, ...options });
  const added: string[][] = [];
  pool.onAdded((hashes) => void added.push(hashes.map(toHex)));
  return { world, pool, added };
}

test("a tx of a proposal is protected until its slot is over, whatever the rules for pending ones say", () => {
  const { world, pool, added } = setUp();
  const good = tx("good");
  const rival = tx("rival", { nullifiers: good.nullifiers, fee: 9n });
  pool.add([rival], BY_RANK);
  const expired = tx("expired", { expiration: 50n });
  world.target = 100n;
  pool.slotStarted(7);
  expect(pool.addProtected([good, expired], 7).map(({ outcome }) => outcome)).toEqual(["accepted", "accepted"]);
  expect([rival, good, expired].map(({ hash }) => pool.status(hash))).toEqual(["pending", "protected", "protected"]);
  expect(pool.pendingCount).toBe(1);
  expect(added).toEqual([[toHex(rival.hash)], [toHex(good.hash), toHex(expired.hash)]]);
  pool.slotStarted(8);
  expect([rival, good, expired].map(({ hash }) => pool.status(hash))).toEqual(["pending", "deleted", "deleted"]);
});

test("a valid tx of a proposal that was not mined is pending in the next slot", () => {
  const { pool } = setUp();
  const one = tx("one");
  pool.addProtected([one], 3);
  expect(pool.pendingHashes(10)).toEqual([]);
  pool.slotStarted(4);
  expect(pool.pendingHashes(10).map(toHex)).toEqual([toHex(one.hash)]);
});

test("a pending tx that a proposal names becomes protected without an announcement", () => {
  const { pool, added } = setUp();
  const one = tx("one");
  pool.add([one], BY_RANK);
  expect(pool.addProtected([one], 5).map(({ outcome }) => outcome)).toEqual(["ignored"]);
  expect([pool.status(one.hash), pool.pendingCount, added.length]).toEqual(["protected", 0, 1]);
});

test("a tx of a block of the chain is added as mined, also when it was collected for a proposal", () => {
  const { world, pool } = setUp();
  const [one, two] = [tx("one"), tx("two")];
  world.append([one, two], 50n, new Map());
  pool.add([one], BY_RANK);
  pool.addProtected([two], 1);
  expect([pool.status(one.hash), pool.status(two.hash), pool.pendingCount]).toEqual(["mined", "mined", 0]);
});

test("a tx that arrives by gossip after its proposal is protected and announced", () => {
  const { pool, added } = setUp();
  const one = tx("one");
  expect(pool.protect([one.hash], 5).map(toHex)).toEqual([toHex(one.hash)]);
  pool.add([one], BY_RANK);
  expect([pool.status(one.hash), added]).toEqual(["protected", [[toHex(one.hash)]]]);
});

test("rejected and outbid txs are not announced", () => {
  const { world, pool, added } = setUp();
  world.target = 100n;
  const one = tx("one", { fee: 5n });
  const lower = tx("lower", { fee: 4n, nullifiers: one.nullifiers });
  expect(pool.add([one, lower, tx("expired", { expiration: 50n })], BY_RANK).map(({ outcome }) => outcome)).toEqual([
    "accepted",
    "ignored",
    "rejected",
  ]);
  expect(added).toEqual([[toHex(one.hash)]]);
});

test("beyond the bound on protected bytes txs are added as others are, until a slot ends", () => {
  const bytes = txBytes(tx("any").tx);
  const kept = { mined: 2 ** 30, deleted: 2 ** 30, protected: 2 * bytes };
  const { world, pool } = setUp({ kept, maxPending: 1 });
  const txs = [1, 2, 3, 4].map((i) => tx(`tx ${i}`, { fee: BigInt(i) }));
  const states = () => txs.map(({ hash }) => pool.status(hash));
  // The third is named before it arrives by gossip.
  pool.protect([txs[2].hash], 5);
  pool.addProtected(txs.slice(0, 2), 5);
  pool.add([txs[2]], BY_RANK);
  pool.addProtected([txs[3]], 5);
  expect(states()).toEqual(["protected", "protected", "deleted", "pending"]);
  pool.blockAdded(world.append([txs[0]], 50n, new Map()));
  pool.slotStarted(6);
  expect([pool.status(txs[0].hash), pool.pendingCount]).toEqual(["mined", 1]);
  // There is room again.
  const more = [5, 6].map((i) => tx(`tx ${i}`));
  pool.addProtected(more, 6);
  expect(more.map(({ hash }) => pool.status(hash))).toEqual(["protected", "protected"]);
});
