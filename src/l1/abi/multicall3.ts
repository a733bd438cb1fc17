import { parseAbi } from "viem";

/** Same address on every chain. Lower-case. */
export const MULTICALL3_ADDRESS = "0xca11bde05977b3631167028862be2a173976ca11";

export const multicall3Abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "function aggregate3(Call3[] calls) payable",
]);
