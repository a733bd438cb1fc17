import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";

const abi = parseAbi(["function forward(address target, bytes data) payable returns (bytes)"]);

/** Input of a forwarder contract (for tests) that makes a call, or reverts when the call does. `target` is 0x text. */
export function forwardCalldata(target: string, data: Uint8Array): Uint8Array {
  return fromHex(encodeFunctionData({ abi, functionName: "forward", args: [target as Hex, toHex(data) as Hex] }));
}
