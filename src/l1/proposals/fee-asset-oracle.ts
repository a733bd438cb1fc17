import { ethPerFeeAssetOfPool, priceModifier } from "../../protocol/fees/fee-asset-price.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type rollupProposalsAbi, stateViewAbi } from "../abi/rollup-proposals.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/**
 * Uniswap v4 StateView (docs/protocol/08-building-and-checkpoints.md#822-price-modifier). It exists on Ethereum mainnet
 * only.
 */
const STATE_VIEW = { name: "StateView", address: "0x7ffe42c4a5deea5b0fec41c94c136cf115597227", abi: stateViewAbi };
const POOL_ID = "0xce2899b16743cfd5a954d8122d5e07f410305b1aebee39fd73d9f3b9ebf10c2f";
/** Number of latest L1 blocks whose prices are averaged. */
const SAMPLES = 5;

/**
 * Change of the fee asset's price that a checkpoint should make, in basis points: towards the mean of the pool's prices
 * at the latest L1 blocks. Zero if there is no pool or a read fails, since a checkpoint does not depend on it.
 */
export async function feeAssetPriceModifier(
  rpc: L1Rpc,
  rollup: Contract<typeof rollupProposalsAbi>,
  latestBlock: number,
  logger: Logger,
): Promise<bigint> {
  try {
    const code = await rpc.request({
      method: "eth_getCode",
      params: [STATE_VIEW.address, "latest"],
      parse: (answer) => bytes(answer, "code"),
      about: STATE_VIEW.name,
    });
    if (code.length === 0) return 0n;
    const blocks = Array.from({ length: SAMPLES }, (_, k) => latestBlock - k).filter((number) => number > 0);
    const samples = await Promise.allSettled(blocks.map((block) => priceAt(rpc, block)));
    const prices = samples.flatMap((sample) =>
      sample.status === "fulfilled" && sample.value !== undefined ? [sample.value] : [],
    );
    if (prices.length === 0) return 0n;
    const mean = prices.reduce((sum, price) => sum + price, 0n) / BigInt(prices.length);
    return priceModifier(await read(rpc, rollup, "getEthPerFeeAsset", []), mean);
  } catch (error) {
    logger.warn({ err: error }, "cannot read the price of the fee asset, leaving it unchanged");
    return 0n;
  }
}

/** Undefined if the pool has no price yet. */
async function priceAt(rpc: L1Rpc, block: number): Promise<bigint | undefined> {
  const [sqrtPriceX96] = await read(rpc, STATE_VIEW, "getSlot0", [POOL_ID], block);
  const price = sqrtPriceX96 === 0n ? 0n : ethPerFeeAssetOfPool(sqrtPriceX96);
  return price === 0n ? undefined : price;
}
