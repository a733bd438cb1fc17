import { nextExcessMana } from "./congestion.ts";
import { nextEthPerFeeAsset } from "./fee-asset-price.ts";
import { type GasFees, manaFees } from "./gas-fees.ts";
import { L1_GAS_ORACLE_LAG, type L1Fees } from "./l1-gas-oracle.ts";
import { type ManaPriceParameters, manaMinFee, type ParentFees } from "./mana-min-fee.ts";

/** Mana that checkpoints to come are assumed to use: nothing, the target, or the limit (twice the target). */
export type ManaUsage = "none" | "target" | "limit";

/** The fee asset is assumed to lose 1% with each checkpoint, the most that the rollup lets it lose. */
const ASSUMED_PRICE_MODIFIER = -100n;

/** Entries after the current one: within the oracle's lag the L1 fees of a slot are already decided. */
export const PREDICTED_SLOTS = L1_GAS_ORACLE_LAG;

export interface PredictionBasis {
  parameters: ManaPriceParameters;
  /** The checkpoint that the next one builds on. */
  parent: ParentFees;
  /** What the rollup reckons with in the next slots, first the slot of the next checkpoint. */
  l1Fees: readonly L1Fees[];
}

const usedMana = (usage: ManaUsage, target: bigint): bigint =>
  usage === "none" ? 0n : usage === "target" ? target : 2n * target;

/** Min fees of the next checkpoints, one for each entry of `l1Fees`, when each uses as much mana as assumed (sheet 03 section 11.3). */
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
