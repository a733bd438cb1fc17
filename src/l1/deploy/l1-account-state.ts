import { DecodeError } from "../../protocol/errors.ts";
import { bytes, quantity, record } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** 0x quantity of any size. */
export function amount(value: unknown, subject: string): bigint {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new DecodeError(subject, "must be a 0x quantity of at most 32 bytes");
  return BigInt(value);
}

/** The account's next nonce, pending transactions included. */
export function nextNonce(rpc: L1Rpc, address: string): Promise<number> {
  const parse = (value: unknown) => quantity(value, "nonce");
  return rpc.request({ method: "eth_getTransactionCount", params: [address, "pending"], parse });
}

/** Wei. */
export function balanceOf(rpc: L1Rpc, address: string): Promise<bigint> {
  const parse = (value: unknown) => amount(value, "balance");
  return rpc.request({ method: "eth_getBalance", params: [address, "latest"], parse });
}

export function hasCode(rpc: L1Rpc, address: string): Promise<boolean> {
  const parse = (value: unknown) => bytes(value, "code").length > 0;
  return rpc.request({ method: "eth_getCode", params: [address, "latest"], parse });
}

/**
 * Wei per gas: twice the base fee, which allows for several full blocks in between, plus the suggested priority fee.
 */
export interface FeesPerGas {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

const GWEI = 10n ** 9n;

export async function feesPerGas(rpc: L1Rpc): Promise<FeesPerGas> {
  const parse = (value: unknown) => amount(record(value, "block").baseFeePerGas, "block.baseFeePerGas");
  const [baseFee, maxPriorityFeePerGas] = await Promise.all([
    rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false], parse }),
    rpc
      .request({ method: "eth_maxPriorityFeePerGas", params: [], parse: (value) => amount(value, "priority fee") })
      .catch(() => GWEI),
  ]);
  return { maxFeePerGas: 2n * baseFee + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

export interface Receipt {
  succeeded: boolean;
  blockNumber: number;
  gasUsed: bigint;
}

/** Undefined while L1 has not mined the transaction. */
export function receiptOf(rpc: L1Rpc, transactionHash: string): Promise<Receipt | undefined> {
  const parse = (value: unknown): Receipt | undefined => {
    if (value === null) return undefined;
    const { status, blockNumber, gasUsed } = record(value, "receipt");
    return {
      succeeded: quantity(status, "receipt.status") === 1,
      blockNumber: quantity(blockNumber, "receipt.blockNumber"),
      gasUsed: amount(gasUsed, "receipt.gasUsed"),
    };
  };
  return rpc.request({ method: "eth_getTransactionReceipt", params: [transactionHash], parse });
}
