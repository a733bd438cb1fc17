import { type Abi, parseAbi } from "viem";
import type { L1Rules } from "../../protocol/generations/l1.ts";

/** Fragments of the rollup contract that a prover uses (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
export const rollupProofsAbi = parseAbi([
  "function getHasSubmitted(uint256 _epoch, uint256 _length, address _prover) view returns (bool)",
  "event L2ProofVerified(uint256 indexed checkpointNumber, address indexed proverId)",
]);

const HEADER =
  "struct Header { bytes32 lastArchiveRoot; bytes32 blockHeadersHash; bytes32 blobsHash; bytes32 inHash; bytes32 outHash; uint256 slotNumber; uint256 timestamp; address coinbase; bytes32 feeRecipient; GasFees gasFees; uint256 totalManaUsed; uint256 accumulatedFees; }";

/** `row` is the type of what is given for each checkpoint. */
function submissionAbi(row: string, structs: readonly string[]): Abi {
  return parseAbi([
    ...structs,
    "struct CommitteeAttestations { bytes signatureIndices; bytes signaturesOrAddresses; }",
    "struct EpochArgs { bytes32 previousArchive; bytes32 endArchive; bytes32 outHash; address proverId; }",
    `struct EpochProof { uint256 start; uint256 end; EpochArgs args; ${row}[] rows; CommitteeAttestations attestations; bytes blobInputs; bytes proof; }`,
    "function submitEpochRootProof(EpochProof _args)",
    `function getEpochProofPublicInputs(uint256 _start, uint256 _end, EpochArgs _args, ${row}[] _rows, bytes _blobPublicInputs) view returns (bytes32[])`,
  ]) as Abi;
}

/** Fragments that differ by what the contract takes of each checkpoint. */
export const SUBMISSION_ABI: Readonly<Record<L1Rules["epochProofTakes"], Abi>> = {
  fees: submissionAbi("bytes32", []),
  headers: submissionAbi("Header", ["struct GasFees { uint128 feePerDaGas; uint128 feePerL2Gas; }", HEADER]),
};
