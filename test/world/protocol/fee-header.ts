import { min } from "../../../src/protocol/fees/arithmetic.ts";
import { nextExcessMana } from "../../../src/protocol/fees/congestion.ts";
import { nextEthPerFeeAsset } from "../../../src/protocol/fees/fee-asset-price.ts";
import type { L1Fees } from "../../../src/protocol/fees/l1-gas-oracle.ts";
import {
  type ManaPriceParameters,
  manaMinFeeComponents,
  type ParentFees,
} from "../../../src/protocol/fees/mana-min-fee.ts";

const bits = (count: bigint): bigint => (1n << count) - 1n;

/**
 * Values of a checkpoint that the rollup stores to compute the next price and to settle fees
 * (docs/protocol/04-l1-contracts.md#429-price-of-mana). Costs are in fee asset units.
 */
export interface FeeHeader extends ParentFees {
  congestionCost: bigint;
  proverCost: bigint;
}

/**
 * Fee header of the checkpoint after `parent`.
 * @param modifier change of the fee asset's price, basis points
 * @param l1Fees the rollup's L1 fees for the checkpoint's slot
 */
export function nextFeeHeader(
  parameters: ManaPriceParameters,
  parent: ParentFees,
  l1Fees: L1Fees,
  { manaUsed, modifier }: { manaUsed: bigint; modifier: bigint },
): FeeHeader {
  const { congestionCost, proverCost } = manaMinFeeComponents(parameters, l1Fees, parent);
  return {
    excessMana: min(nextExcessMana(parent.excessMana, parent.manaUsed, parameters.manaTarget), bits(48n)),
    manaUsed,
    ethPerFeeAsset: nextEthPerFeeAsset(parent.ethPerFeeAsset, modifier),
    congestionCost: min(congestionCost, bits(64n)),
    proverCost: min(proverCost, bits(63n)),
  };
}
