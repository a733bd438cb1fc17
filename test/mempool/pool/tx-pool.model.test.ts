import fc from "fast-check";
import { expect, test } from "vitest";
import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { BY_RANK } from "../../../src/mempool/pool/pre-add-rules.ts";
import { TxPool } from "../../../src/mempool/pool/tx-pool.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { MemoryStore } from "../../world/mempool/memory-store.ts";
import { anchorOf, ModelWorld } from "../../world/mempool/model-world.ts";
import { poolTx, seeded } from "../../world/mempool/pool-txs.ts";
import { ModelPool } from "./model-pool.ts";

/** SVC_POOL_MODEL_RUNS=5000 runs the long form. */
const RUNS = Number(process.env.SVC_POOL_MODEL_RUNS ?? 150);
const TXS = 14;
const PAYERS = [fr(71), fr(72), fr(73)];
const UNKNOWN = seeded("a tx that nobody has");

const index = fc.nat(TXS - 1);
const some = (max: number) => fc.uniqueArray(index, { minLength: 1, maxLength: max });
const plan = fc.record({
  salt: fc.nat(1_000),
  fee: fc.nat(6),
  nullifiers: fc.uniqueArray(fc.nat(9), { minLength: 1, maxLength: 3 }),
  payer: fc.nat(PAYERS.length - 1),
  limitThousands: fc.integer({ min: 1, max: 4 }),
  claim: fc.constantFrom(0, 0, 0, 2_500),
  expiration: fc.constantFrom(101, 110, 125, 1_000, 1_000, 1_000),
  anchor: fc.constantFrom(0, 0, 0, 1, 2, 3),
});
const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("client"), txs: some(3), percent: fc.constantFrom(0, 10, 100) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("gossip"), txs: some(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("protect"), txs: some(3), slots: fc.nat(2), unknown: fc.boolean() }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("block"),
      txs: fc.uniqueArray(index, { maxLength: 3 }),
      seconds: fc.nat(4),
      payer: fc.nat(PAYERS.length - 1),
      balance: fc.nat(9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("prune"), blocks: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("finalize"), behind: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("slot"), slots: fc.nat(2), seconds: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove"), txs: some(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("limit"), max: fc.integer({ min: 0, max: 6 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" } as const) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function plannedTx(one: typeof plan extends fc.Arbitrary<infer T> ? T : never, i: number): TxFacts {
  return poolTx({
    hash: seeded(`${one.salt} ${i}`),
    fee: BigInt(one.fee),
    nullifiers: one.nullifiers.map((n) => fr(500 + n)),
    payer: PAYERS[one.payer],
    limitThousands: one.limitThousands,
    claim: BigInt(one.claim),
    expiration: BigInt(one.expiration),
    anchorHash: anchorOf(one.anchor),
  });
}

/** A pool and its model side by side. */
class Twins {
  readonly world = new ModelWorld(new Map(PAYERS.map((payer) => [toHex(payer), 6_000n])));
  readonly store = new MemoryStore();
  readonly txs: TxFacts[];
  readonly options: { maxPending: number; archived: number; deleteAfterReorg: boolean };
  readonly model: ModelPool;
  pool: TxPool;
  finalizedBlock = 0;

  constructor(txs: TxFacts[], options: Twins["options"]) {
    this.txs = txs;
    this.options = { ...options };
    this.pool = new TxPool(this.store, this.world, { ...this.options, rules: V4 });
    this.model = new ModelPool(this.world, this.options);
  }

  do(op: Operation): void {
    const hashes = "txs" in op ? op.txs.map((i) => this.txs[i].hash) : [];
    switch (op.kind) {
      case "client":
      case "gossip": {
        const percent = "percent" in op ? BigInt(op.percent) : undefined;
        const batch = "txs" in op ? op.txs.map((i) => this.txs[i]) : [];
        const bidding = percent === undefined ? BY_RANK : ({ by: "fee", bumpPercentage: percent } as const);
        if (percent === undefined && batch.length === 1) {
          const before = this.snapshot();
          const [outcome] = [this.pool.wouldAccept(batch[0])];
          expect(this.snapshot()).toEqual(before);
          if (outcome && this.world.minedIn(batch[0].hash) === undefined && this.world.admission()(batch[0])) {
            expect(this.pool.add(batch, bidding)[0].outcome).toBe("accepted");
            this.model.add(batch, percent);
            return;
          }
        }
        const outcomes = this.pool.add(batch, bidding).map(({ outcome, reason }) => ({ outcome, code: reason?.code }));
        expect(outcomes).toEqual(this.model.add(batch, percent).map(({ outcome, code }) => ({ outcome, code })));
        return;
      }
      case "protect": {
        const named = "unknown" in op && op.unknown ? [...hashes, UNKNOWN] : hashes;
        const slot = this.model.slot + ("slots" in op ? op.slots : 0);
        expect(this.pool.protect(named, slot).map(toHex)).toEqual(this.model.protect(named.map(toHex), slot));
        return;
      }
      case "block":
        if ("balance" in op) this.#block(op);
        return;
      case "prune": {
        const tip = Math.max(this.finalizedBlock, this.world.tip - ("blocks" in op ? op.blocks : 0));
        this.world.truncate(tip);
        this.pool.pruned(tip, 1);
        this.model.pruned(tip);
        return;
      }
      case "finalize":
        this.finalizedBlock = Math.max(this.finalizedBlock, this.world.tip - ("behind" in op ? op.behind : 0));
        this.pool.finalized(this.finalizedBlock);
        this.model.finalized(this.finalizedBlock);
        return;
      case "slot": {
        if (!("seconds" in op && "slots" in op)) return;
        this.world.target += BigInt(op.seconds);
        this.world.time += op.seconds * 1_000;
        const slot = this.model.slot + op.slots;
        this.pool.slotStarted(slot);
        this.model.slotStarted(slot);
        return;
      }
      case "remove":
        this.pool.remove(hashes);
        this.model.remove(hashes.map(toHex));
        return;
      case "limit":
        if (!("most" in op)) return;
        this.options.maxPending = op.max;
        this.model.maxPending = op.max;
        this.pool.configure({ maxPending: op.max });
        return;
      case "restart":
        this.pool = new TxPool(this.store, this.world, { ...this.options, rules: V4 });
        this.model.restart();
    }
  }

  /** A block of txs without a spent nullifier. */
  #block(op: Extract<Operation, { balance: number }>): void {
    const txs: TxFacts[] = [];
    const spent = new Set<string>();
    for (const tx of op.txs.map((i) => this.txs[i])) {
      const own = tx.nullifiers.map(toHex);
      if (own.some((n) => spent.has(n)) || tx.nullifiers.some((n) => this.world.isSpent(n))) continue;
      for (const n of own) spent.add(n);
      txs.push(tx);
    }
    const timestamp = this.world.target + BigInt(op.seconds) - 2n;
    const balances = new Map([[toHex(PAYERS[op.payer]), BigInt(op.balance) * 1_000n]]);
    this.pool.blockAdded(this.world.append(txs, timestamp, balances));
    this.model.blockAdded(this.world.tip);
  }

  snapshot(): unknown {
    const { pool } = this;
    const hashes = [...this.txs.map(({ hash }) => hash), UNKNOWN];
    return {
      pending: pool.pendingHashes(100).map(toHex),
      count: pool.pendingCount,
      statuses: hashes.map((hash) => pool.status(hash)),
      bodies: hashes.map((hash) => pool.get(hash) !== undefined),
      eligible: pool.eligible(3_000).map(toHex),
      archived: hashes.filter((hash) => pool.archived(hash) !== undefined).map(toHex),
      fees: pool.maxPriorityFees().feePerL2Gas,
    };
  }

  expected(): unknown {
    const { model, world } = this;
    const pending = model.pending();
    const hashes = [...this.txs.map(({ hash }) => toHex(hash)), toHex(UNKNOWN)];
    return {
      pending: pending.map(({ tx }) => toHex(tx.hash)),
      count: pending.length,
      statuses: hashes.map((hash) => model.status(hash)),
      bodies: hashes.map((hash) => model.bodies.has(hash)),
      eligible: pending.filter(({ receivedAt }) => receivedAt <= world.time - 3_000).map(({ tx }) => toHex(tx.hash)),
      archived: hashes.filter((hash) => model.archive.includes(hash)),
      fees: pending[0]?.tx.maxPriorityFeesPerGas.feePerL2Gas ?? 0n,
    };
  }

  /** Invariants that hold independently of the model. */
  checkInvariants(): void {
    const pending = this.pool.pendingHashes(100);
    const txs = pending.map((hash) => this.txs.find((tx) => toHex(tx.hash) === toHex(hash)));
    const nullifiers = txs.flatMap((tx) => tx?.nullifiers.map(toHex) ?? []);
    expect(new Set(nullifiers).size).toBe(nullifiers.length);
    for (const [i, hash] of pending.entries()) {
      expect(this.pool.pendingHashes(1, i === 0 ? undefined : pending[i - 1]).map(toHex)).toEqual([toHex(hash)]);
    }
    expect(this.pool.pendingHashes(5, UNKNOWN)).toEqual([]);
  }
}

test(`a pool has the state of its model after any operations, in ${RUNS} runs`, { timeout: 1_800_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(plan, { minLength: TXS, maxLength: TXS }),
      fc.record({ maxPending: fc.integer({ min: 0, max: 5 }), archived: fc.nat(3), deleteAfterReorg: fc.boolean() }),
      fc.array(operation, { minLength: 20, maxLength: 45 }),
      (plans, options, operations) => {
        const twins = new Twins(plans.map(plannedTx), options);
        for (const op of operations) {
          twins.do(op);
          expect(twins.snapshot(), JSON.stringify(op)).toEqual(twins.expected());
          twins.checkInvariants();
        }
      },
    ),
    { numRuns: RUNS },
  );
});
