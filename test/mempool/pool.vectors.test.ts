import { expect, test } from "vitest";
import { feeLimit, priorityFee } from "../../src/mempool/digest/tx-facts.ts";
import { PendingTxs } from "../../src/mempool/pool/pending-txs.ts";
import type { PoolEntry } from "../../src/mempool/pool/pool-entry.ts";
import {
  type Bidding,
  BY_RANK,
  balanceRule,
  bumpedFee,
  capacityRule,
  conflictRule,
  type PreAdd,
} from "../../src/mempool/pool/pre-add-rules.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import vectors from "../fixtures/vectors/fees.json" with { type: "json" };
import { entry } from "../world/mempool/pool-txs.ts";

const word = (hex: string) => fr(BigInt(hex));
const biddingOf = (percentage: string | null): Bidding =>
  percentage === null ? BY_RANK : { by: "fee", bumpPercentage: BigInt(percentage) };

/** In the form of the vectors. */
function shown(outcome: PreAdd): unknown {
  if ("evict" in outcome) return { shouldIgnore: false, txHashesToEvict: outcome.evict.map(({ hash }) => toHex(hash)) };
  const reason = Object.fromEntries(
    Object.entries(outcome.rejection).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? toHex(value) : typeof value === "bigint" ? value.toString() : value,
    ]),
  );
  return { shouldIgnore: true, txHashesToEvict: [], reason };
}

function pendingOf(entries: PoolEntry[]): PendingTxs {
  const pending = new PendingTxs();
  for (const one of entries) pending.add(one);
  return pending;
}

test.each(vectors.priceBump)("a fee of $existingFee is outbid at $percentage % by $minimumFee", (one) => {
  expect(bumpedFee(BigInt(one.existingFee), BigInt(one.percentage))).toBe(BigInt(one.minimumFee));
});

test.each(vectors.priorityFee)("the priority fee of a tx is that of the vectors: $priorityFee", (one) => {
  const fees = {
    maxFeesPerGas: { feePerDaGas: BigInt(one.maxFeePerDaGas), feePerL2Gas: BigInt(one.maxFeePerL2Gas) },
    maxPriorityFeesPerGas: {
      feePerDaGas: BigInt(one.maxPriorityFeePerDaGas),
      feePerL2Gas: BigInt(one.maxPriorityFeePerL2Gas),
    },
  };
  expect(priorityFee(fees)).toBe(BigInt(one.priorityFee));
});

test("pending txs have the order of the vectors", () => {
  const { input, orderedDescending } = vectors.pendingOrder;
  const pending = pendingOf(
    input.map((one) => entry({ hash: fromHex(one.txHash), priorityFee: BigInt(one.priorityFee) })),
  );
  expect([...pending.order.descending()].map(({ hash }) => toHex(hash))).toEqual(orderedDescending);
});

test.each(vectors.nullifierConflict.map((one, i) => [i, one] as const))(
  "nullifier conflict %i has the outcome of the vectors",
  (_, one) => {
    const existing = one.existing.map(({ fee, txHash, nullifiers }) =>
      entry({ hash: fromHex(txHash), priorityFee: BigInt(fee), nullifiers: nullifiers.map(word) }),
    );
    const incoming = entry({
      hash: fromHex(one.incoming.txHash),
      priorityFee: BigInt(one.incoming.fee),
      nullifiers: existing.flatMap(({ nullifiers }) => nullifiers),
    });
    const outcome = conflictRule(incoming, {
      pending: pendingOf(existing),
      bidding: biddingOf(one.priceBumpPercentage),
    });
    expect(shown(outcome)).toEqual(one.result);
  },
);

test.each(vectors.poolFull.map((one, i) => [i, one] as const))(
  "a tx for a full pool has the outcome of the vectors: %i",
  (_, one) => {
    const lowest = entry({ hash: fromHex(one.lowest.txHash), priorityFee: BigInt(one.lowest.fee) });
    const others = Array.from({ length: one.pendingCount - 1 }, (_, i) =>
      entry({ hash: fr(1000 + i), priorityFee: 10n ** 9n }),
    );
    const incoming = entry({ hash: fromHex(one.incoming.txHash), priorityFee: BigInt(one.incoming.fee) });
    const context = {
      pending: pendingOf([lowest, ...others]),
      bidding: biddingOf(one.priceBumpPercentage),
      maxPending: one.maxPendingTxCount,
    };
    expect(shown(capacityRule(incoming, context))).toEqual(one.result);
  },
);

test.each(vectors.feePayerBalance.map((one, i) => [i, one] as const))(
  "a tx of a payer with several has the outcome of the vectors: %i",
  (_, one) => {
    const planned = (tx: { h: number; fee: number; limit: number; claim?: number }) =>
      entry({ hash: fr(tx.h), priorityFee: BigInt(tx.fee), feeLimit: BigInt(tx.limit), claim: BigInt(tx.claim ?? 0) });
    const context = { pending: pendingOf(one.existing.map(planned)), feeJuice: () => BigInt(one.balance) };
    expect(shown(balanceRule(planned(one.incoming), context))).toEqual(one.result);
  },
);

const withLimit = vectors.txFee.flatMap((one) =>
  one.feeLimit === undefined ? [] : [{ ...one, feeLimit: one.feeLimit }],
);
test.each(withLimit)(
  "the fee limit of a tx is that of the vectors: $feeLimit",
  ({ gasLimits, maxFeesPerGas, feeLimit: expected }) => {
    const limits = { daGas: gasLimits.da, l2Gas: gasLimits.l2 };
    const fees = { feePerDaGas: BigInt(maxFeesPerGas.da), feePerL2Gas: BigInt(maxFeesPerGas.l2) };
    expect(feeLimit({ gasLimits: limits, maxFeesPerGas: fees })).toBe(BigInt(expected));
  },
);
