import { encodeFunctionData, type Hex } from "viem";
import { concat, fromHex, toHex } from "../../protocol/bytes.ts";
import type { CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import { headerStruct } from "../abi/header-struct.ts";
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
