import { encodeFunctionData, type Hex } from "viem";
import { concat, fromHex, readBigUint, toHex } from "../../protocol/bytes.ts";
import { CHECKPOINT_AT, type CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import { rollupAbi } from "../abi/rollup.ts";
import type { PackedAttestations } from "./attestations.ts";

interface Proposal {
  archiveRoot: Uint8Array;
  /** Basis points. */
  feeAssetPriceModifier: number;
  header: CheckpointHeader;
  attestations: PackedAttestations;
  /** Proposer's signature of attestations and signers: 65 bytes r, s, v. */
  signature: Uint8Array;
  /** KZG commitments of the blobs, 48 bytes each. */
  commitments: readonly Uint8Array[];
}

/**
 * One byte for the number of blobs, then their commitments (docs/protocol/04-l1-contracts.md#49-calldata-of-propose).
 */
export function blobInput(commitments: readonly Uint8Array[]): Uint8Array {
  return concat(Uint8Array.of(commitments.length), ...commitments);
}

const hex = (bytes: Uint8Array) => toHex(bytes) as Hex;

function headerStruct(header: CheckpointHeader) {
  const bytesAt = (at: number, length = 32) => hex(header.subarray(at, at + length));
  const uintAt = (at: number, length = 32) => readBigUint(header, at, length);
  return {
    lastArchiveRoot: bytesAt(CHECKPOINT_AT.lastArchiveRoot),
    blockHeadersHash: bytesAt(CHECKPOINT_AT.blockHeadersHash),
    blobsHash: bytesAt(CHECKPOINT_AT.blobsHash),
    inHash: bytesAt(CHECKPOINT_AT.inHash),
    outHash: bytesAt(CHECKPOINT_AT.epochOutHash),
    slotNumber: uintAt(CHECKPOINT_AT.slotNumber),
    timestamp: uintAt(CHECKPOINT_AT.timestamp, 8),
    coinbase: bytesAt(CHECKPOINT_AT.coinbase, 20),
    feeRecipient: bytesAt(CHECKPOINT_AT.feeRecipient),
    gasFees: {
      feePerDaGas: uintAt(CHECKPOINT_AT.feePerDaGas, 16),
      feePerL2Gas: uintAt(CHECKPOINT_AT.feePerL2Gas, 16),
    },
    totalManaUsed: uintAt(CHECKPOINT_AT.totalManaUsed),
  };
}

/** Input of the rollup's `propose` (docs/protocol/04-l1-contracts.md#49-calldata-of-propose). */
export function proposeCalldata(proposal: Proposal): Uint8Array {
  const { archiveRoot, feeAssetPriceModifier, header, attestations, signature, commitments } = proposal;
  const input = encodeFunctionData({
    abi: rollupAbi,
    functionName: "propose",
    args: [
      {
        archive: hex(archiveRoot),
        oracleInput: { feeAssetPriceModifier: BigInt(feeAssetPriceModifier) },
        header: headerStruct(header),
      },
      {
        signatureIndices: hex(attestations.signatureIndices),
        signaturesOrAddresses: hex(attestations.signaturesOrAddresses),
      },
      attestations.signers.map(hex),
      { v: signature[64], r: hex(signature.subarray(0, 32)), s: hex(signature.subarray(32, 64)) },
      hex(blobInput(commitments)),
    ],
  });
  return fromHex(input);
}
