import { fromHex, toHex } from "../../protocol/bytes.ts";
import { type L1Log, logs, quantity, record } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { wei } from "./fee-market.ts";

export interface L1Receipt {
  /** 0x text. */
  hash: string;
  succeeded: boolean;
  blockNumber: number;
  blockHash: Uint8Array;
  gasUsed: bigint;
  /** Wei per gas; undefined if L1 does not tell. */
  gasPrice?: bigint;
  /** Of a blob transaction. */
  blobGas?: { used: bigint; price: bigint };
  logs: L1Log[];
}

/** Transaction count of an account: mined ones only (latest), or with pending ones (pending). */
export function transactionCount(rpc: L1Rpc, address: string, at: "latest" | "pending"): Promise<number> {
  const parse = (value: unknown) => quantity(value, "transaction count");
  return rpc.request({ method: "eth_getTransactionCount", params: [address, at], parse });
}

/** Wei. */
export function balanceOf(rpc: L1Rpc, address: string): Promise<bigint> {
  return rpc.request({
    method: "eth_getBalance",
    params: [address, "latest"],
    parse: (value) => wei(value) ?? BigInt(quantity(value, "balance")),
  });
}

/** The latest L1 block; its time is in milliseconds. */
export function latestHead(rpc: L1Rpc): Promise<{ number: number; time: number }> {
  return rpc.request({
    method: "eth_getBlockByNumber",
    params: ["latest", false],
    parse: (value) => {
      const { number, timestamp } = record(value, "block");
      return { number: quantity(number, "block.number"), time: quantity(timestamp, "block.timestamp") * 1000 };
    },
  });
}

/** Timestamp of the latest L1 block, in milliseconds. */
export async function latestTime(rpc: L1Rpc): Promise<number> {
  return (await latestHead(rpc)).time;
}

/** Whether the L1 node knows the transaction, mined or pending. */
export function isKnown(rpc: L1Rpc, hash: string): Promise<boolean> {
  return rpc.request({ method: "eth_getTransactionByHash", params: [hash], parse: (value) => value !== null });
}

function blobGasOf(receipt: Readonly<Record<string, unknown>>): L1Receipt["blobGas"] {
  const [used, price] = [wei(receipt.blobGasUsed), wei(receipt.blobGasPrice)];
  return used === undefined || price === undefined || used === 0n ? undefined : { used, price };
}

/** Undefined while the transaction is not mined. */
export function receiptOf(rpc: L1Rpc, hash: string): Promise<L1Receipt | undefined> {
  return rpc.request({
    method: "eth_getTransactionReceipt",
    params: [hash],
    parse: (value) => {
      if (value === null) return undefined;
      const fields = record(value, "receipt");
      return {
        hash,
        succeeded: fields.status === "0x1",
        blockNumber: quantity(fields.blockNumber, "receipt.blockNumber"),
        blockHash: fromHex(String(fields.blockHash)),
        gasUsed: wei(fields.gasUsed) ?? 0n,
        gasPrice: wei(fields.effectiveGasPrice),
        blobGas: blobGasOf(fields),
        logs: logs(fields.logs),
      };
    },
  });
}

/** Whether a log is of this contract (lower-case 0x text) and event. */
export function hasTopic({ address, topics }: L1Log, contract: string, topic: string): boolean {
  return address === contract.toLowerCase() && topics[0] !== undefined && toHex(topics[0]) === topic;
}
