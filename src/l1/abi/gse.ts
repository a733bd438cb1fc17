import { parseAbi } from "viem";

/** Fragment of the contract that holds the stakes of all rollups' attesters. */
export const gseAbi = parseAbi([
  "function getAttestersFromIndicesAtTime(address _instance, uint256 _timestamp, uint256[] _indices) view returns (address[])",
  "struct G1Point { uint256 x; uint256 y; }",
  "function getRegistrationDigest(G1Point _publicKey) view returns (G1Point)",
]);
