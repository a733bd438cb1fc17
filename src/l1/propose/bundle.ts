import { encodeFunctionData, type Hex } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { multicall3Abi } from "../abi/multicall3.ts";

/**
 * Input of Multicall3's aggregate3: the calls in order, each of which may fail independently
 * (docs/protocol/08-building-and-checkpoints.md#817-bundle).
 */
export function bundleCalldata(calls: readonly { to: string; data: Uint8Array }[]): Uint8Array {
  const args = calls.map(({ to, data }) => ({
    target: to as Hex,
    allowFailure: true,
    callData: toHex(data) as Hex,
  }));
  return fromHex(encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [args] }));
}
