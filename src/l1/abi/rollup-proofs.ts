import { parseAbi } from "viem";

/** Fragments of the rollup contract that a prover uses (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
export const rollupProofsAbi = parseAbi([
  "struct CommitteeAttestations { bytes signatureIndices; bytes signaturesOrAddresses; }",
  "struct EpochArgs { bytes32 previousArchive; bytes32 endArchive; bytes32 outHash; address proverId; }",
  "struct EpochProof { uint256 start; uint256 end; EpochArgs args; bytes32[] fees; CommitteeAttestations attestations; bytes blobInputs; bytes proof; }",
  "function submitEpochRootProof(EpochProof _args)",
  "function getEpochProofPublicInputs(uint256 _start, uint256 _end, EpochArgs _args, bytes32[] _fees, bytes _blobPublicInputs) view returns (bytes32[])",
  "function getHasSubmitted(uint256 _epoch, uint256 _length, address _prover) view returns (bool)",
  "event L2ProofVerified(uint256 indexed checkpointNumber, address indexed proverId)",
]);
