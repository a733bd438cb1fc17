import { nextExcessMana } from "./congestion.ts";
import { nextEthPerFeeAsset } from "./fee-asset-price.ts";
import { type GasFees, manaFees } from "./gas-fees.ts";
import { L1_GAS_ORACLE_LAG, type L1Fees } from "./l1-gas-oracle.ts";
import { type ManaPriceParameters, manaMinFee, type ParentFees } from "./mana-min-fee.ts";

/** Mana that future checkpoints are assumed to use: none, the target, or the limit (twice the target). */
export type ManaUsage = "none" | "target" | "limit";

/** The fee asset is assumed to lose 1% at each checkpoint, the largest loss that the rollup allows. */
const ASSUMED_PRICE_MODIFIER = -100n;

/** Number of entries after the current one: within the oracle's lag the L1 fees of a slot are already known. */
export const PREDICTED_SLOTS = L1_GAS_ORACLE_LAG;

export interface PredictionBasis {
  parameters: ManaPriceParameters;
  /** The checkpoint that the next one builds on. */
  parent: ParentFees;
  /** The rollup's L1 fees of the next slots, beginning with the slot of the next checkpoint. */
  l1Fees: readonly L1Fees[];
}

const usedMana = (usage: ManaUsage, target: bigint): bigint =>
  usage === "none" ? 0n : usage === "target" ? target : 2n * target;

/**
 * Min fees of the next checkpoints, one for each entry of `l1Fees`, under the assumed mana usage
 * (docs/protocol/07-transactions-and-fees.md#711-fees-that-nodes-tell).
 */
export function predictMinFees({ parameters, parent, l1Fees }: PredictionBasis, usage: ManaUsage): GasFees[] {
  const manaUsed = usedMana(usage, parameters.manaTarget);
  let before = parent;
  return l1Fees.map((fees) => {
    const fee = manaFees(manaMinFee(parameters, fees, before));
    before = {
      excessMana: nextExcessMana(before.excessMana, before.manaUsed, parameters.manaTarget),
      manaUsed,
      ethPerFeeAsset: nextEthPerFeeAsset(before.ethPerFeeAsset, ASSUMED_PRICE_MODIFIER),
    };
    return fee;
  });
}
