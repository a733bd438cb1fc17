import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { TxFees } from "./transaction.ts";

export type TxStatus = "idle" | "sent" | "speed-up" | "cancelled" | "not mined" | "mined";

/** Everything about a transaction that a later run needs to go on watching it. Its blobs are kept beside it. */
export interface TxState {
  /** Rises with every transaction of the account. */
  id: number;
  status: Exclude<TxStatus, "idle">;
  /** What it is for: shown in the log, and by it a later run knows its own transactions. */
  purpose: string;
  nonce: number;
  /** 0x text. */
  to: string;
  data: Uint8Array;
  value: bigint;
  gas: bigint;
  /** Of the last attempt. */
  fees: TxFees;
  /** 0x text, the last attempt last. */
  hashes: string[];
  /** Of transactions that take its nonce from it. */
  cancelHashes: string[];
  /** Milliseconds of L1's time. */
  sentAt: number;
  lastSentAt: number;
  /** Milliseconds of L1's time. */
  timeoutAt: number | undefined;
  hasBlobs: boolean;
  /** Once mined. */
  minedBlock: number | undefined;
}

export function isUnfinished({ status }: TxState): boolean {
  return status === "sent" || status === "speed-up" || status === "cancelled";
}

const feesText = (fees: TxFees) => ({
  maxFeePerGas: fees.maxFeePerGas.toString(),
  maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
  maxFeePerBlobGas: fees.maxFeePerBlobGas?.toString(),
});

export function writeTxState(state: TxState): Uint8Array {
  const { data, value, gas, fees } = state;
  const text = { data: toHex(data), value: value.toString(), gas: gas.toString(), fees: feesText(fees) };
  return Buffer.from(JSON.stringify({ ...state, ...text }));
}

type Stored = Omit<TxState, "data" | "value" | "gas" | "fees"> & {
  data: string;
  value: string;
  gas: string;
  fees: ReturnType<typeof feesText>;
};

/** Reads what `writeTxState` wrote: the store is this program's own. */
export function readTxState(bytes: Uint8Array): TxState {
  const stored = JSON.parse(Buffer.from(bytes).toString("utf8")) as Stored;
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = stored.fees;
  return {
    ...stored,
    data: fromHex(stored.data),
    value: BigInt(stored.value),
    gas: BigInt(stored.gas),
    fees: {
      maxFeePerGas: BigInt(maxFeePerGas),
      maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
      ...(maxFeePerBlobGas === undefined ? {} : { maxFeePerBlobGas: BigInt(maxFeePerBlobGas) }),
    },
    timeoutAt: stored.timeoutAt,
    minedBlock: stored.minedBlock,
  };
}
