import { L1Error } from "../errors.ts";
import { list, record } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { FeeMarket } from "./fees.ts";

const HISTORY_BLOCKS = 5;
const PERCENTILE = 75;

/** A 0x quantity of any size up to 256 bits; undefined for anything else. */
export function wei(value: unknown): bigint | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined;
}

/**
 * Reads the fee market. Only the latest block is required; other values that L1 does not return count as absent. Throws
 * an L1Error if the latest block cannot be read.
 */
export async function readFeeMarket(rpc: L1Rpc, blobs: boolean): Promise<FeeMarket> {
  const optional = async <T>(none: T, ask: Promise<T>) =>
    ask.catch((error: unknown) => {
      if (error instanceof L1Error) return none;
      throw error;
    });
  const quantity = (method: string) =>
    optional(undefined, rpc.request({ method, params: [], parse: (value) => wei(value) }));
  const [baseFee, blobBaseFee, estimate, pendingPriorityFees, recentRewards] = await Promise.all([
    rpc.request({
      method: "eth_getBlockByNumber",
      params: ["latest", false],
      parse: (value) => wei(record(value, "block").baseFeePerGas) ?? 0n,
    }),
    blobs ? quantity("eth_blobBaseFee") : undefined,
    quantity("eth_maxPriorityFeePerGas"),
    optional(
      [],
      rpc.request({
        method: "eth_getBlockByNumber",
        params: ["pending", true],
        parse: (value) => (value === null ? [] : list(record(value, "block").transactions, "transactions").map(tip)),
      }),
    ),
    optional(
      [],
      rpc.request({
        method: "eth_feeHistory",
        params: [`0x${HISTORY_BLOCKS.toString(16)}`, "latest", [PERCENTILE]],
        parse: (value) =>
          list(record(value, "fee history").reward ?? [], "reward").map((block) => wei(list(block, "reward")[0]) ?? 0n),
      }),
    ),
  ]);
  return { baseFee, blobBaseFee, estimate: estimate ?? 0n, pendingPriorityFees, recentRewards };
}

function tip(transaction: unknown): bigint {
  return typeof transaction === "object" && transaction !== null && "maxPriorityFeePerGas" in transaction
    ? (wei(transaction.maxPriorityFeePerGas) ?? 0n)
    : 0n;
}
