import { ceilDiv, clamp, max } from "./arithmetic.ts";

/** Prices are ETH per unit of fee asset, times 1e12 (docs/protocol/04-l1-contracts.md#429-price-of-mana). */
export const ETH_PER_FEE_ASSET_PRECISION = 1_000_000_000_000n;
const MINIMUM_ETH_PER_FEE_ASSET = 100n;
const MAXIMUM_ETH_PER_FEE_ASSET = 100_000_000_000_000n;
/** Largest price change at one checkpoint, in basis points. */
export const MAXIMUM_PRICE_MODIFIER = 100n;

const BASIS_POINTS = 10_000n;

/** Wei as fee asset units (both with 18 decimals), rounded up; a price below the minimum counts as the minimum. */
export function weiToFeeAsset(wei: bigint, ethPerFeeAsset: bigint): bigint {
  return ceilDiv(wei * ETH_PER_FEE_ASSET_PRECISION, max(ethPerFeeAsset, MINIMUM_ETH_PER_FEE_ASSET));
}

/** Price after a checkpoint that changes it by `modifier` basis points. */
export function nextEthPerFeeAsset(ethPerFeeAsset: bigint, modifier: bigint): bigint {
  const moved = (max(ethPerFeeAsset, MINIMUM_ETH_PER_FEE_ASSET) * (BASIS_POINTS + modifier)) / BASIS_POINTS;
  return clamp(moved, MINIMUM_ETH_PER_FEE_ASSET, MAXIMUM_ETH_PER_FEE_ASSET);
}

/**
 * The modifier that moves the price towards the oracle's price, within the limit of one checkpoint
 * (docs/protocol/08-building-and-checkpoints.md#822-price-modifier).
 */
export function priceModifier(ethPerFeeAsset: bigint, oraclePrice: bigint): bigint {
  if (ethPerFeeAsset === 0n) return MAXIMUM_PRICE_MODIFIER;
  const wanted = ((oraclePrice - ethPerFeeAsset) * BASIS_POINTS) / ethPerFeeAsset;
  return clamp(wanted, -MAXIMUM_PRICE_MODIFIER, MAXIMUM_PRICE_MODIFIER);
}

/** ETH per fee asset of a pool of ETH (first currency) and fee asset, from the square root of its price in Q96. */
export function ethPerFeeAssetOfPool(sqrtPriceX96: bigint): bigint {
  return (ETH_PER_FEE_ASSET_PRECISION << 192n) / (sqrtPriceX96 * sqrtPriceX96);
}
