import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type FeeMarket, priorityFee, txFees } from "../../../src/l1/tx/fees.ts";
import type { L1TxSettings } from "../../../src/l1/tx/settings.ts";

/** Those of docs/protocol/08-building-and-checkpoints.md#824-fees-on-l1. */
const SETTINGS: L1TxSettings = {
  gasLimitBufferPercentage: 20,
  maxGwei: 2000,
  maxBlobGwei: 3000,
  priorityFeeBumpPercentage: 20,
  priorityFeeRetryBumpPercentage: 50,
  minimumPriorityFeeGwei: 0,
  maxSpeedUpAttempts: 3,
  checkIntervalMs: 1000,
  stallTimeMs: 12_000,
  timeoutMs: 120_000,
  cancelOnTimeout: true,
  cancellationFinalTimeoutMs: 288_000,
  unseenConsideredDroppedMs: 72_000,
};

const market = (changes: Partial<FeeMarket> = {}): FeeMarket => ({
  baseFee: 1000n,
  blobBaseFee: 1n,
  estimate: 100n,
  pendingPriorityFees: [],
  recentRewards: [],
  ...changes,
});

describe("priority fee", () => {
  test("the priority fee is the highest of estimate, 75th percentile of pending fees and median of recent rewards", () => {
    expect(priorityFee(market(), 0)).toBe(100n);
    expect(priorityFee(market({ pendingPriorityFees: [0n, 400n, 100n, 300n, 200n] }), 0)).toBe(400n);
    expect(priorityFee(market({ pendingPriorityFees: [500n, 100n, 400n, 300n, 200n] }), 0)).toBe(400n);
    expect(priorityFee(market({ recentRewards: [0n, 700n, 300n, 500n, 900n] }), 0)).toBe(600n);
  });

  test("the priority fee is at most a hundred times the estimate, if there is one, and at least the configured one", () => {
    expect(priorityFee(market({ recentRewards: [1_000_000n] }), 0)).toBe(10_000n);
    expect(priorityFee(market({ recentRewards: [1_000_000n], estimate: 0n }), 0)).toBe(1_000_000n);
    expect(priorityFee(market(), 1.5)).toBe(1_500_000_000n);
  });
});

describe("fees", () => {
  test("L1 fees pay for a base fee that rises as fast as it can during the stall time", () => {
    expect(txFees(market(), SETTINGS, { blobs: true })).toEqual({
      maxFeePerGas: 1125n + 120n,
      maxPriorityFeePerGas: 120n,
      maxFeePerBlobGas: 2n,
    });
    const slow = { ...SETTINGS, stallTimeMs: 12_001 };
    expect(txFees(market(), slow, { blobs: false }).maxFeePerGas).toBe(1266n + 120n);
  });

  test("L1 fees are those that the recorded network paid, with a base fee of 7 and no txs but its own", () => {
    const recorded = market({ baseFee: 7n, estimate: 1_000_000_000n, recentRewards: [120_000_000_000n] });
    expect(txFees(recorded, SETTINGS, { blobs: true })).toEqual({
      maxFeePerGas: 120_000_000_008n,
      maxPriorityFeePerGas: 120_000_000_000n,
      maxFeePerBlobGas: 2n,
    });
  });

  test("L1 fees keep to the limits", () => {
    const limited = { ...SETTINGS, maxGwei: 1, maxBlobGwei: 1 };
    const high = market({ baseFee: 10n ** 12n, blobBaseFee: 10n ** 12n, estimate: 10n ** 11n });
    const gwei = 10n ** 9n;
    expect(txFees(high, limited, { blobs: true })).toEqual({
      maxFeePerGas: gwei,
      maxPriorityFeePerGas: gwei,
      maxFeePerBlobGas: gwei,
    });
  });

  test("the fees of a replacement are high enough for a node to accept it", () => {
    const wei = fc.bigInt({ min: 1n, max: 10n ** 11n });
    fc.assert(
      fc.property(wei, wei, wei, fc.boolean(), (baseFee, estimate, blobBaseFee, blobs) => {
        const unlimited = { ...SETTINGS, maxGwei: 0, maxBlobGwei: 0 };
        const now = market({ baseFee, estimate, blobBaseFee });
        const previous = txFees(now, unlimited, { blobs });
        const next = txFees(market({ baseFee: baseFee / 2n }), unlimited, { blobs, previous });
        const percent = blobs ? 200n : 110n;
        expect(next.maxFeePerGas * 100n).toBeGreaterThanOrEqual(previous.maxFeePerGas * percent - 100n);
        expect(next.maxPriorityFeePerGas * 100n).toBeGreaterThanOrEqual(previous.maxPriorityFeePerGas * percent - 100n);
        if (blobs) expect(next.maxFeePerBlobGas).toBeGreaterThanOrEqual(2n * (previous.maxFeePerBlobGas ?? 0n));
      }),
    );
  });
});
