import { ceilDiv, min } from "./arithmetic.ts";
import { congestionMultiplier, MINIMUM_CONGESTION_MULTIPLIER, nextExcessMana } from "./congestion.ts";
import { ETH_PER_FEE_ASSET_PRECISION, weiToFeeAsset } from "./fee-asset-price.ts";
import { MAX_FEE_PER_MANA } from "./gas-fees.ts";
import type { L1Fees } from "./l1-gas-oracle.ts";

/**
 * L1 gas of proposing a checkpoint and of verifying an epoch, and blob gas of a checkpoint. It counts three blobs; six
 * are allowed.
 */
const L1_GAS_PER_CHECKPOINT = 300_000n;
const L1_GAS_PER_EPOCH = 3_600_000n;
const BLOB_GAS_PER_CHECKPOINT = 3n * 131_072n;

/** Parameters of a rollup that the price of mana depends on. */
export interface ManaPriceParameters {
  /** Mana per checkpoint at which the price does not change; 0 disables transactions and makes the price 0. */
  manaTarget: bigint;
  /** Wei. */
  provingCostPerMana: bigint;
  /** Slots per epoch. */
  epochDuration: bigint;
}

/** Values of a checkpoint that determine the price of the next one. */
export interface ParentFees {
  excessMana: bigint;
  manaUsed: bigint;
  /** Multiplied by 1e12. */
  ethPerFeeAsset: bigint;
}

/** Parts of the price of one mana, all in wei or all in fee asset units; the multiplier is in units of 1e-9. */
interface ManaMinFeeComponents {
  sequencerCost: bigint;
  proverCost: bigint;
  congestionCost: bigint;
  congestionMultiplier: bigint;
}

/**
 * Parts of the price of mana (docs/protocol/04-l1-contracts.md#429-price-of-mana), in wei. `excessMana` is that of the
 * checkpoint to be priced.
 */
export function manaMinFeeInWei(
  parameters: ManaPriceParameters,
  l1Fees: L1Fees,
  excessMana: bigint,
): ManaMinFeeComponents {
  const { manaTarget, provingCostPerMana, epochDuration } = parameters;
  if (manaTarget === 0n) return { sequencerCost: 0n, proverCost: 0n, congestionCost: 0n, congestionMultiplier: 0n };
  const { baseFee, blobFee } = l1Fees;
  const sequencerCost = ceilDiv(L1_GAS_PER_CHECKPOINT * baseFee + BLOB_GAS_PER_CHECKPOINT * blobFee, manaTarget);
  const proverCost = ceilDiv(ceilDiv(L1_GAS_PER_EPOCH * baseFee, epochDuration), manaTarget) + provingCostPerMana;
  const multiplier = congestionMultiplier(manaTarget, excessMana);
  const total = sequencerCost + proverCost;
  const congestionCost = (total * multiplier) / MINIMUM_CONGESTION_MULTIPLIER - total;
  return { sequencerCost, proverCost, congestionCost, congestionMultiplier: multiplier };
}

/** Parts of the price of mana after a checkpoint, in fee asset units. Each part is rounded up separately. */
export function manaMinFeeComponents(
  parameters: ManaPriceParameters,
  l1Fees: L1Fees,
  parent: ParentFees,
): ManaMinFeeComponents {
  const excess = nextExcessMana(parent.excessMana, parent.manaUsed, parameters.manaTarget);
  const inWei = manaMinFeeInWei(parameters, l1Fees, excess);
  const convert = (wei: bigint) => weiToFeeAsset(wei, parent.ethPerFeeAsset);
  return {
    ...inWei,
    sequencerCost: convert(inWei.sequencerCost),
    proverCost: convert(inWei.proverCost),
    congestionCost: convert(inWei.congestionCost),
  };
}

/** Price of one mana: the sum of the parts, at most 2^128 - 1. */
export function totalManaMinFee({ sequencerCost, proverCost, congestionCost }: ManaMinFeeComponents): bigint {
  return min(sequencerCost + proverCost + congestionCost, MAX_FEE_PER_MANA);
}

/** Minimum price per mana of a checkpoint after `parent`, in fee asset units, given the rollup's L1 fees. */
export function manaMinFee(parameters: ManaPriceParameters, l1Fees: L1Fees, parent: ParentFees): bigint {
  return totalManaMinFee(manaMinFeeComponents(parameters, l1Fees, parent));
}

/** The same in wei: the price if one fee asset were worth one ETH. */
export function manaMinFeeWei(parameters: ManaPriceParameters, l1Fees: L1Fees, parent: ParentFees): bigint {
  return manaMinFee(parameters, l1Fees, { ...parent, ethPerFeeAsset: ETH_PER_FEE_ASSET_PRECISION });
}
