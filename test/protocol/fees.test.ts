import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { congestionMultiplier, congestionUpdateFraction, nextExcessMana } from "../../src/protocol/fees/congestion.ts";
import { ethPerFeeAssetOfPool, nextEthPerFeeAsset, priceModifier } from "../../src/protocol/fees/fee-asset-price.ts";
import type { GasFees } from "../../src/protocol/fees/gas-fees.ts";
import { type L1Fees, l1FeesAt, readL1GasOracle, updateL1GasOracle } from "../../src/protocol/fees/l1-gas-oracle.ts";
import {
  type ManaPriceParameters,
  manaMinFee,
  manaMinFeeComponents,
  manaMinFeeInWei,
  manaMinFeeWei,
  totalManaMinFee,
} from "../../src/protocol/fees/mana-min-fee.ts";
import { predictMinFees } from "../../src/protocol/fees/predicted-min-fees.ts";
import { effectiveGasFees, gasCost, MaxFeesTooLowError } from "../../src/protocol/fees/transaction-fee.ts";
import { nextFeeHeader } from "../world/protocol/fee-header.ts";

// biome-ignore lint/suspicious/noExplicitAny: vectors are read as they are
const vectors = (name: string): any =>
  JSON.parse(readFileSync(new URL(`../fixtures/vectors/${name}.json`, import.meta.url), "utf8"));

type Texts = Record<string, string>;
interface ManaMinFeeVector {
  input: Texts & Record<"pre" | "post" | "parent", Texts>;
  l1FeesUsed: Texts;
  componentsInFeeAsset: Texts;
  componentsInEth: Texts;
  minFeePerL2Gas: string;
}

const bigints = <T>(texts: Texts): T =>
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, BigInt(value)])) as T;

const fees = vectors("fees");
const l1 = vectors("l1").fees;

describe("mana min fee", () => {
  test.each(fees.manaMinFee as ManaMinFeeVector[])("the mana min fee is the contract's answer: $input.name", (c) => {
    const { input } = c;
    const parameters: ManaPriceParameters = {
      manaTarget: BigInt(input.manaTarget),
      provingCostPerMana: BigInt(input.provingCostPerMana),
      epochDuration: BigInt(input.epochDuration),
    };
    const oracle = {
      pre: bigints<L1Fees>(input.pre),
      post: bigints<L1Fees>(input.post),
      slotOfChange: BigInt(input.slotOfChange),
    };
    const l1Fees = l1FeesAt(oracle, BigInt(input.slot));
    expect(l1Fees).toEqual(bigints(c.l1FeesUsed));
    expect(congestionUpdateFraction(parameters.manaTarget)).toBe(BigInt(input.congestionUpdateFraction));
    const parent = {
      excessMana: BigInt(input.parent.excessMana),
      manaUsed: BigInt(input.parent.manaUsed),
      ethPerFeeAsset: BigInt(input.parent.ethPerFeeAsset),
    };
    expect(manaMinFeeComponents(parameters, l1Fees, parent)).toEqual(bigints(c.componentsInFeeAsset));
    const excess = nextExcessMana(parent.excessMana, parent.manaUsed, parameters.manaTarget);
    expect(manaMinFeeInWei(parameters, l1Fees, excess)).toEqual(bigints(c.componentsInEth));
    expect(manaMinFee(parameters, l1Fees, parent)).toBe(BigInt(c.minFeePerL2Gas));
  });

  test.each(["live", "scenario"])("mana min fees of recorded chain states are those of the network: %s", (network) => {
    const { config, cases, epochDuration, genesisTime, slotDuration, rawConfigWord, rawOracleWord, ...rest } =
      l1[network];
    const word = BigInt(rawConfigWord);
    expect(word >> 192n).toBe(BigInt(config.manaTarget));
    expect(congestionUpdateFraction(word >> 192n)).toBe(BigInt(config.congestionUpdateFraction));
    const oracle = readL1GasOracle(BigInt(rawOracleWord));
    expect(oracle).toEqual({
      pre: bigints(rest.pre),
      post: bigints(rest.post),
      slotOfChange: BigInt(rest.slotOfChange),
    });
    const parameters = {
      manaTarget: BigInt(config.manaTarget),
      provingCostPerMana: BigInt(config.provingCostPerMana),
      epochDuration: BigInt(epochDuration),
    };
    for (const c of cases) {
      const slot = (BigInt(c.timestamp) - BigInt(genesisTime)) / BigInt(slotDuration);
      expect(slot).toBe(BigInt(c.slot));
      const l1Fees = l1FeesAt(oracle, slot);
      expect(l1Fees).toEqual(bigints(c.l1Fees));
      const parent = bigints<{ excessMana: bigint; manaUsed: bigint; ethPerFeeAsset: bigint }>(c.feeHeader);
      const components = manaMinFeeComponents(parameters, l1Fees, parent);
      expect(components).toEqual(bigints(c.components));
      expect(totalManaMinFee(components)).toBe(BigInt(c.manaMinFeeInFeeAsset));
      expect(manaMinFeeWei(parameters, l1Fees, parent)).toBe(BigInt(c.manaMinFeeInEth));
    }
  });

  test("the mana min fee is capped at 2^128 - 1", () => {
    const parameters = { manaTarget: 1n, provingCostPerMana: 2n ** 31n, epochDuration: 1n };
    const l1Fees = { baseFee: 2n ** 56n - 1n, blobFee: 2n ** 56n - 1n };
    const parent = { excessMana: 2n ** 48n, manaUsed: 0n, ethPerFeeAsset: 100n };
    expect(manaMinFee(parameters, l1Fees, parent)).toBe(2n ** 128n - 1n);
  });
});

test.each(l1.congestionMultiplier as Texts[])(
  "the congestion multiplier at excess $excessMana is that of the vectors",
  (c) => {
    expect(congestionUpdateFraction(BigInt(c.manaTarget))).toBe(BigInt(c.congestionUpdateFraction));
    expect(congestionMultiplier(BigInt(c.manaTarget), BigInt(c.excessMana))).toBe(BigInt(c.multiplier));
  },
);

describe("price of the fee asset", () => {
  test.each(fees.newEthPerFeeAsset as Texts[])(
    "the fee asset's price $currentPriceE12 modified by $modifierBps is that of the vectors",
    (c) => {
      expect(nextEthPerFeeAsset(BigInt(c.currentPriceE12), BigInt(c.modifierBps))).toBe(BigInt(c.newPriceE12));
    },
  );

  test.each(fees.priceModifierBps as Texts[])(
    "the price modifier from $current to $target is that of the vectors",
    (c) => {
      expect(priceModifier(BigInt(c.current), BigInt(c.target))).toBe(BigInt(c.modifierBps));
    },
  );

  test.each(fees.sqrtPriceX96ToEthPerFeeAssetE12 as Texts[])(
    "the fee asset's price in a pool at $sqrtPriceX96 is that of the vectors",
    (c) => {
      expect(ethPerFeeAssetOfPool(BigInt(c.sqrtPriceX96))).toBe(BigInt(c.ethPerFeeAssetE12));
    },
  );
});

describe("the fee of a transaction", () => {
  test.each((fees.txFee as Record<string, Texts>[]).map((c) => [JSON.stringify(c), c] as const))(
    "the fee of a transaction is that of the vectors: %s",
    (_text, c) => {
      const pair = ({ da, l2 }: Texts): GasFees => ({ feePerDaGas: BigInt(da), feePerL2Gas: BigInt(l2) });
      const amount = ({ da, l2 }: Texts) => ({ daGas: BigInt(da), l2Gas: BigInt(l2) });
      const offered = { maxFeesPerGas: pair(c.maxFeesPerGas), maxPriorityFeesPerGas: pair(c.maxPriorityFeesPerGas) };
      expect(gasCost(offered.maxFeesPerGas, amount(c.gasLimits))).toBe(BigInt(c.feeLimit as unknown as string));
      const effective = () => effectiveGasFees(pair(c.gasFees), offered);
      if (c.error !== undefined) {
        expect(effective).toThrow(MaxFeesTooLowError);
        expect(effective).toThrow(c.error as unknown as string);
        return;
      }
      expect(effective()).toEqual(pair(c.effective));
      expect(gasCost(effective(), amount(c.gasUsed))).toBe(BigInt(c.transactionFee as unknown as string));
    },
  );
});

describe("L1 gas oracle", () => {
  const cost = (baseFee: bigint): L1Fees => ({ baseFee, blobFee: 1n });
  const initial = { pre: cost(10n), post: cost(20n), slotOfChange: 5n };

  test("the L1 gas oracle uses new fees from the slot of change on", () => {
    expect(l1FeesAt(initial, 4n)).toEqual(cost(10n));
    expect(l1FeesAt(initial, 5n)).toEqual(cost(20n));
  });

  test("the L1 gas oracle accepts an update three slots after the last change, effective two slots later", () => {
    expect(updateL1GasOracle(initial, 7n, cost(30n))).toBe(initial);
    const updated = updateL1GasOracle(initial, 8n, cost(30n));
    expect(updated).toEqual({ pre: cost(20n), post: cost(30n), slotOfChange: 10n });
    for (const slot of [8n, 9n]) expect(l1FeesAt(updated, slot)).toEqual(l1FeesAt(initial, slot));
  });
});

test("a fee header contains capped costs, the excess before it and the changed price", () => {
  const parameters = { manaTarget: 100n, provingCostPerMana: 0n, epochDuration: 2n };
  const parent = { excessMana: 2n ** 48n, manaUsed: 200n, ethPerFeeAsset: 100n };
  const l1Fees = { baseFee: 2n ** 56n - 1n, blobFee: 0n };
  expect(nextFeeHeader(parameters, parent, l1Fees, { manaUsed: 7n, modifier: 100n })).toEqual({
    excessMana: 2n ** 48n - 1n,
    manaUsed: 7n,
    ethPerFeeAsset: 101n,
    congestionCost: 2n ** 64n - 1n,
    proverCost: 2n ** 63n - 1n,
  });
});

describe("predicted min fees", () => {
  const parameters = { manaTarget: 100_000_000n, provingCostPerMana: 100n, epochDuration: 2n };
  const parent = { excessMana: 50_000_000n, manaUsed: 150_000_000n, ethPerFeeAsset: 10_000_000n };
  const l1Fees = [
    { baseFee: 41_430_487n, blobFee: 1n },
    { baseFee: 50_000_000n, blobFee: 3n },
  ];
  const basis = { parameters, parent, l1Fees };

  test("predicted min fees begin with the next checkpoint's, which does not depend on its usage", () => {
    for (const usage of ["none", "target", "limit"] as const) {
      expect(predictMinFees(basis, usage)[0]).toEqual({
        feePerDaGas: 0n,
        feePerL2Gas: manaMinFee(parameters, l1Fees[0], parent),
      });
    }
  });

  test.each([
    ["none", 0n],
    ["target", 100_000_000n],
    ["limit", 200_000_000n],
  ] as const)("go on with %s used and a fee asset that lost 1%%", (usage, manaUsed) => {
    const second = { excessMana: 100_000_000n, manaUsed, ethPerFeeAsset: 9_900_000n };
    expect(predictMinFees(basis, usage)[1].feePerL2Gas).toBe(manaMinFee(parameters, l1Fees[1], second));
  });

  test("predicted min fees are 0 when transactions are disabled", () => {
    const off = { ...basis, parameters: { ...parameters, manaTarget: 0n } };
    expect(predictMinFees(off, "limit").map((f) => f.feePerL2Gas)).toEqual([0n, 0n]);
  });
});
