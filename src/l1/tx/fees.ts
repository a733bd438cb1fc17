import type { L1TxSettings } from "./settings.ts";
import type { TxFees } from "./transaction.ts";

/** State of L1's fee market. Amounts in wei. */
export interface FeeMarket {
  /** Base fee of the latest block. */
  baseFee: bigint;
  /** Blob base fee of the next block; undefined if L1 does not tell. */
  blobBaseFee: bigint | undefined;
  /** The L1 node's own estimate of the priority fee; 0 if it has none. */
  estimate: bigint;
  /** Priority fees of the pending block's transactions. */
  pendingPriorityFees: readonly bigint[];
  /** 75th percentile of the priority fees in each of the last 5 blocks. */
  recentRewards: readonly bigint[];
}

const GWEI = 1_000_000_000n;
const BLOCK_MS = 12_000;
/**
 * Percentage by which fees must rise for a node to accept a replacement
 * (docs/protocol/08-building-and-checkpoints.md#824-fees-on-l1).
 */
const REPLACEMENT_BUMP = 10;
const BLOB_REPLACEMENT_BUMP = 100;

const max = (a: bigint, b: bigint) => (a > b ? a : b);
const min = (a: bigint, b: bigint) => (a < b ? a : b);
const ascending = (values: readonly bigint[]) => [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const inGwei = (value: number) => BigInt(Math.trunc(value * Number(GWEI)));
const raised = (value: bigint, percent: number) => (value * BigInt(10_000 + Math.round(percent * 100))) / 10_000n;

function percentile75(values: readonly bigint[]): bigint {
  return ascending(values)[Math.ceil((values.length - 1) * 0.75)] ?? 0n;
}

function median(values: readonly bigint[]): bigint {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return 0n;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2n;
}

/** P0 of docs/protocol/08-building-and-checkpoints.md#824-fees-on-l1, before any bump. */
export function priorityFee(market: FeeMarket, minimumPriorityFeeGwei: number): bigint {
  const { estimate } = market;
  const pending = percentile75(market.pendingPriorityFees.filter((fee) => fee > 0n));
  const recent = median(market.recentRewards.filter((fee) => fee > 0n));
  const wanted = max(estimate, max(pending, recent));
  const sane = estimate > 0n ? min(wanted, estimate * 100n) : wanted;
  return max(sane, inGwei(minimumPriorityFeeGwei));
}

/** A base fee that suffices even if every block in the stall time raises it by L1's maximum. */
function grown(fee: bigint, stallTimeMs: number): bigint {
  let value = fee;
  for (let block = 0; block < Math.ceil(stallTimeMs / BLOCK_MS); block++) value = (value * 1125n + 999n) / 1000n;
  return value;
}

/**
 * Fees of a transaction. `previous` are the fees of the transaction that it replaces
 * (docs/protocol/08-building-and-checkpoints.md#824-fees-on-l1).
 */
export function txFees(
  market: FeeMarket,
  settings: L1TxSettings,
  { blobs, previous }: { blobs: boolean; previous?: TxFees },
): TxFees {
  const p0 = priorityFee(market, settings.minimumPriorityFeeGwei);
  const base = grown(market.baseFee, settings.stallTimeMs);
  const retryBump = settings.priorityFeeRetryBumpPercentage;
  const bump = Math.max(retryBump, blobs ? BLOB_REPLACEMENT_BUMP : REPLACEMENT_BUMP);
  const priority = previous
    ? max(raised(p0, retryBump), raised(previous.maxPriorityFeePerGas, bump))
    : raised(p0, settings.priorityFeeBumpPercentage);
  let maxFeePerGas = base + priority;
  if (previous) maxFeePerGas = max(maxFeePerGas, raised(previous.maxFeePerGas, bump));
  if (settings.maxGwei > 0) maxFeePerGas = min(maxFeePerGas, inGwei(settings.maxGwei));
  const fees: TxFees = { maxFeePerGas, maxPriorityFeePerGas: min(priority, maxFeePerGas) };
  if (!blobs) return fees;
  let blobFee = grown(market.blobBaseFee ?? 0n, settings.stallTimeMs);
  if (settings.maxBlobGwei > 0) blobFee = min(blobFee, inGwei(settings.maxBlobGwei));
  const blobBump = Math.max(retryBump, BLOB_REPLACEMENT_BUMP);
  if (previous?.maxFeePerBlobGas) blobFee = max(blobFee, raised(previous.maxFeePerBlobGas, blobBump));
  return { ...fees, maxFeePerBlobGas: blobFee };
}
