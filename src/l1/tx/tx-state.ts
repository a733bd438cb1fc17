import { fromHex, toHex } from "../../protocol/bytes.ts";
import type { TxFees } from "./transaction.ts";

export type TxStatus = "idle" | "sent" | "speed-up" | "cancelled" | "not mined" | "mined";

/** Stored state of a transaction, from which a later run can continue to watch it. Its blobs are stored separately. */
export interface TxState {
  /** Increases with every transaction of the account. */
  id: number;
  status: Exclude<TxStatus, "idle">;
  /** Shown in the log; also identifies the transaction to a later run. */
  purpose: string;
  nonce: number;
  /** 0x text. */
  to: string;
  data: Uint8Array;
  value: bigint;
  gas: bigint;
  /** Fees of the last attempt. */
  fees: TxFees;
  /** Hashes of all attempts in order, as 0x text. */
  hashes: string[];
  /** Hashes of the cancellations, which have the same nonce. */
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

/** Inverse of `writeTxState`. Does not validate, since only this program writes the store. */
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
