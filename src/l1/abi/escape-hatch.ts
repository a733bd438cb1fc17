import { parseAbi } from "viem";

export const escapeHatchAbi = parseAbi([
  "function isHatchOpen(uint256 epoch) view returns (bool isOpen, address proposer)",
]);
