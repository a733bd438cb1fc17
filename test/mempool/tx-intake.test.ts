import { describe, expect, test, vi } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { DigestPool } from "../../src/mempool/digest/digest-pool.ts";
import { DigestQueueFullError } from "../../src/mempool/digest/tx-digest.ts";
import type { NewTx } from "../../src/mempool/pool/pool-admission.ts";
import { SharedCommits } from "../../src/mempool/pool/shared-commits.ts";
import { TxIntake } from "../../src/mempool/tx-intake.ts";
import { equal } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import { VALID } from "../../src/protocol/tx/verdict.ts";
import { poolTx } from "../world/mempool/pool-txs.ts";
import { digestTx, txFacts } from "../world/mempool/v4-digests.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";

const NOTHING_MINED = { minedIn: () => undefined };
const summary = () => undefined;

describe("tx intake", () => {
  const facts = (i: number) => poolTx({ hash: fr(i) });

  test("txs that become valid together are added to the pool in one commit, in order, and many of them in several", async () => {
    const batches: number[][] = [];
    const intake = new TxIntake({
      validator: { fromClient: async (tx) => ({ facts: facts(tx.data.length), verdict: VALID }) },
      chain: NOTHING_MINED,
      pool: {
        summary,
        add: (txs: readonly NewTx[], bidding) => {
          expect(bidding).toEqual({ by: "fee", bumpPercentage: 10n });
          batches.push(txs.map(({ hash }) => hash[31]));
          return txs.map(({ hash }) => ({ outcome: hash[31] % 2 === 0 ? "accepted" : "rejected" }) as const);
        },
      },
      priceBumpPercentage: 10n,
    });
    const { tx } = facts(1);
    const outcomes = await Promise.all(
      Array.from({ length: 70 }, (_, i) => intake.submit({ ...tx, data: new Uint8Array(i) })),
    );
    expect(batches.map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(batches.flat()).toEqual(Array.from({ length: 70 }, (_, i) => i));
    expect(outcomes.slice(0, 2)).toEqual([
      { admission: { outcome: "accepted" } },
      { admission: { outcome: "rejected" } },
    ]);
  });

  test("an invalid tx never reaches the pool, and an error of the pool reaches the client", async () => {
    const reject = new Error("disk");
    const { tx } = facts(1);
    const intake = (verdict: typeof VALID | { result: "invalid"; reason: string[] }) =>
      new TxIntake({
        validator: { fromClient: async () => ({ facts: facts(1), verdict }) },
        chain: NOTHING_MINED,
        pool: {
          summary,
          add: () => {
            throw reject;
          },
        },
        priceBumpPercentage: 0n,
      });
    const verdict = { result: "invalid" as const, reason: ["because"] };
    expect(await intake(verdict).submit(tx)).toEqual({ verdict });
    await expect(intake(VALID).submit(tx)).rejects.toBe(reject);
  });

  test.each([
    { known: "mined", reasons: ["Existing nullifier"], taken: true },
    { known: "mined", reasons: ["Invalid expiration timestamp", "Existing nullifier"], taken: true },
    { known: "mined", reasons: ["Existing nullifier", "Insufficient fee payer balance"], taken: true },
    { known: "mined", reasons: ["Existing nullifier", "Incorrect calldata for public call"], taken: false },
    { known: "pending", reasons: ["Insufficient fee per gas"], taken: true },
    { known: "pending", reasons: ["Insufficient fee payer balance"], taken: true },
    { known: "pending", reasons: ["Existing nullifier"], taken: false },
    { known: "pending", reasons: ["Block header not found"], taken: false },
    { known: "unknown", reasons: ["Existing nullifier"], taken: false },
    { known: "unknown", reasons: ["Insufficient fee per gas"], taken: false },
  ])(
    "a tx that is $known and now refused for $reasons is answered as before: $taken",
    async ({ known, reasons, taken }) => {
      const sent = facts(1);
      const verdict = { result: "invalid" as const, reason: reasons };
      const isSent = (hash: Uint8Array) => equal(hash, sent.hash);
      const intake = new TxIntake({
        validator: { fromClient: async () => ({ facts: sent, verdict }) },
        chain: { minedIn: (hash) => (known === "mined" && isSent(hash) ? { number: 1, hash: fr(9) } : undefined) },
        pool: {
          summary: (hash) => (known === "pending" && isSent(hash) ? sent : undefined),
          add: () => expect.unreachable("a refused tx reaches the pool"),
        },
        priceBumpPercentage: 0n,
      });
      expect(await intake.submit(sent.tx)).toEqual(taken ? { admission: { outcome: "ignored" } } : { verdict });
    },
  );
});

test("txs that come soon after a commit wait for the next one, and one that comes after a pause does not", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
  try {
    const sizes: number[] = [];
    const add = (txs: readonly NewTx[]) => {
      sizes.push(txs.length);
      return txs.map(() => ({ outcome: "accepted" }) as const);
    };
    const commits = new SharedCommits({ add }, { by: "rank" }, 25);
    const some = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, i) => commits.add(poolTx({ hash: fr(i) }))));
    await some(1);
    const [soon, later] = [some(2), some(1)];
    await new Promise(setImmediate);
    expect(sizes).toEqual([1]);
    vi.advanceTimersByTime(25);
    await Promise.all([soon, later]);
    expect(sizes).toEqual([1, 3]);
    vi.advanceTimersByTime(26);
    await some(1);
    expect(sizes).toEqual([1, 3, 1]);
  } finally {
    vi.useRealTimers();
  }
});

test("the bytes of a submitted tx are handed on once the pool accepted it, and not otherwise", async () => {
  const [{ tx, hash }] = recordedTxs();
  const facts = txFacts(tx, digestTx(loadCore(), tx));
  for (const outcome of ["accepted", "ignored", "rejected"] as const) {
    const handed: Uint8Array[] = [];
    const intake = new TxIntake({
      validator: { fromClient: async () => ({ facts, verdict: VALID }) },
      chain: NOTHING_MINED,
      pool: { summary, add: ([{ encoded }]) => (handed.length === 0 && encoded ? [{ outcome }] : []) },
      priceBumpPercentage: 0n,
      accepted: (bytes) => handed.push(bytes),
    });
    await intake.submit(tx);
    expect(handed).toEqual(outcome === "accepted" ? [txToBytes(hash, tx)] : []);
  }
});

test("digests made on threads are those of this thread, and a limited number of requests wait", async () => {
  const recorded = recordedTxs().slice(0, 12);
  const core = loadCore();
  const pool = new DigestPool({ generation: V4, threads: 1, maxWaiting: 8 });
  try {
    const asked = recorded.map(({ tx }) => pool.whole(tx).catch((error: unknown) => error));
    const outcomes = await Promise.all(asked);
    const refused = outcomes.filter((outcome) => outcome instanceof DigestQueueFullError);
    expect(refused.length).toBeGreaterThan(0);
    outcomes.forEach((outcome, i) => {
      if (!(outcome instanceof Error)) expect(outcome).toEqual(digestTx(core, recorded[i].tx));
    });
    expect(refused.length).toBeLessThan(12);
  } finally {
    await pool.close();
  }
});
