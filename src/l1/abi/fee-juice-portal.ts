import { parseAbi } from "viem";

/** docs/protocol/04-l1-contracts.md#415-fee-juice-portal */
export const feeJuicePortalAbi = parseAbi([
  "function depositToAztecPublic(bytes32 to, uint256 amount, bytes32 secretHash) returns (bytes32 key, uint256 index)",
  "event DepositToAztecPublic(bytes32 indexed to, uint256 amount, bytes32 secretHash, bytes32 key, uint256 index)",
]);

/** The fee asset of networks for development, and the contract that mints it for anybody. */
export const feeAssetAbi = parseAbi(["function approve(address spender, uint256 amount) returns (bool)"]);
export const feeAssetHandlerAbi = parseAbi(["function mint(address recipient)"]);
