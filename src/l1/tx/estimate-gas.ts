import { toHex } from "../../protocol/bytes.ts";
import { quantity } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { BlobSidecars } from "./transaction.ts";

/** Maximum gas of an L1 transaction (EIP-7825). */
export const MAX_TX_GAS = 16_777_216n;

/** Limits gas to L1's maximum for a transaction. */
export function cappedGas(gas: bigint): bigint {
  return BigInt(Math.min(Number(gas), Number(MAX_TX_GAS)));
}

interface GasCall {
  from: string;
  to: string;
  data: Uint8Array;
  value?: bigint;
  sidecars?: BlobSidecars;
  /** Computed fee per blob gas. The call uses twice that, so that the fee may rise meanwhile. */
  maxFeePerBlobGas?: bigint;
}

const hex = (value: bigint) => `0x${value.toString(16)}`;

export function withBuffer(gas: bigint, percent: number): bigint {
  return (gas * BigInt(100 + percent)) / 100n;
}

/** eth_estimateGas at the latest block. Throws an L1RpcError for a call that reverts. */
export async function rawGasEstimate(rpc: L1Rpc, call: GasCall): Promise<bigint> {
  const { from, to, data, value = 0n, sidecars, maxFeePerBlobGas = 0n } = call;
  const blobFields = sidecars && {
    type: "0x3",
    maxFeePerBlobGas: hex(2n * maxFeePerBlobGas),
    blobVersionedHashes: sidecars.versionedHashes.map(toHex),
  };
  const object = { from, to, data: toHex(data), value: hex(value), gas: hex(MAX_TX_GAS), ...blobFields };
  const parse = (answer: unknown) => BigInt(quantity(answer, "gas estimate"));
  return rpc.request({ method: "eth_estimateGas", params: [object, "latest"], parse });
}

/** `rawGasEstimate` plus a buffer in percent, limited to L1's maximum for a transaction. */
export async function estimateGas(rpc: L1Rpc, call: GasCall, bufferPercentage: number): Promise<bigint> {
  return cappedGas(withBuffer(await rawGasEstimate(rpc, call), bufferPercentage));
}
