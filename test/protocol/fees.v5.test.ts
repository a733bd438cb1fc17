import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { L1Fees } from "../../src/protocol/fees/l1-gas-oracle.ts";
import {
  type ManaPriceParameters,
  manaMinFee,
  manaMinFeeComponents,
  manaMinFeeInWei,
  type ParentFees,
} from "../../src/protocol/fees/mana-min-fee.ts";
import { nextFeeHeader } from "../world/protocol/fee-header.ts";
import { readVectors } from "./generations/v5/vectors.ts";

type Texts = Record<string, string>;
const bigints = <T>(texts: Texts): T =>
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, BigInt(value)])) as T;

/** The price of mana is computed as in v4; a rollup of v5 shows it. */
const { views, checkpoints, at } = readVectors<{
  views: Texts;
  checkpoints: { n: number; feeHeader?: Texts }[];
  at: { ts: string; inFeeAsset: Texts; inEth: Texts; min: string; l1Fees: Texts }[];
}>("fees-and-rollup-views");
const parameters: ManaPriceParameters = {
  manaTarget: BigInt(views.getManaTarget),
  provingCostPerMana: BigInt(views.getProvingCostPerManaInEth),
  epochDuration: BigInt(views.getEpochDuration),
};
const headers = new Map(checkpoints.map(({ n, feeHeader }) => [n, feeHeader]));
const tip = bigints<ParentFees>(headers.get(161)!);

test.each(at)("the price at $ts", ({ inFeeAsset, inEth, min, l1Fees }) => {
  const fees = bigints<L1Fees>(l1Fees);
  expect(manaMinFeeComponents(parameters, fees, tip)).toEqual(bigints(inFeeAsset));
  expect(manaMinFeeInWei(parameters, fees, 0n)).toEqual(bigints(inEth));
  expect(manaMinFee(parameters, fees, tip)).toBe(BigInt(min));
});

test("each recorded fee header follows from the one before", () => {
  const l1Fees = bigints<L1Fees>(at[0].l1Fees);
  for (let n = 150; n <= 161; n++) {
    const header = headers.get(n)!;
    const parent = bigints<ParentFees>(headers.get(n - 1)!);
    const used = { manaUsed: BigInt(header.manaUsed), modifier: 0n };
    expect(nextFeeHeader(parameters, parent, l1Fees, used), `${n}`).toEqual(bigints(header));
  }
});

test("the prices of the contracts' own tests, with congestion and a moving price of the fee asset", () => {
  const file = new URL("../fixtures/v5/l1-tests/fees.json", import.meta.url);
  const { points, ...texts } = JSON.parse(readFileSync(file, "utf8"));
  const rules = bigints<ManaPriceParameters>(texts);
  for (const { parent, modifier, l1, next, wei, asset } of points) {
    const before = bigints<ParentFees>(parent);
    const fees = bigints<L1Fees>(l1);
    expect(manaMinFeeComponents(rules, fees, before)).toEqual(bigints(asset));
    const header = nextFeeHeader(rules, before, fees, {
      manaUsed: BigInt(next.manaUsed),
      modifier: BigInt(modifier),
    });
    expect(header).toMatchObject(bigints<object>(next));
    expect(manaMinFeeInWei(rules, fees, header.excessMana)).toEqual(bigints(wei));
  }
});
