import { keccak_256 } from "@noble/hashes/sha3.js";
import { decodeFunctionData, encodeAbiParameters, type Hex, parseAbiParameters, toFunctionSelector } from "viem";
import { bigUintBytes, concat, equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { type CheckpointHeader, checkpointHash } from "../../protocol/checkpoint-header.ts";
import { payloadDigest } from "../../protocol/consensus/digests.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { BYTES_PER_COMMITMENT } from "../blobs/blob-offer.ts";
import type { ProposedEvent } from "./proposed-event.ts";

export const PROPOSE_SELECTOR = fromHex(
  toFunctionSelector(rollupAbi.find((item) => item.type === "function" && item.name === "propose") as never),
);

/** Arguments of a `propose` call, as far as following the chain needs them. */
export interface ProposeCall {
  archiveRoot: Uint8Array;
  feeAssetPriceModifier: bigint;
  header: CheckpointHeader;
  signatureIndices: Uint8Array;
  signaturesOrAddresses: Uint8Array;
  /** KZG commitments of the checkpoint's blobs, 48 bytes each. */
  blobCommitments: Uint8Array[];
}

export function isProposeCall(input: Uint8Array): boolean {
  return equal(input.subarray(0, 4), PROPOSE_SELECTOR);
}

/** Throws a DecodeError if the input is not a well-formed `propose` call. */
export function readProposeCall(input: Uint8Array): ProposeCall {
  const subject = "propose calldata";
  let decoded: ReturnType<typeof decodeFunctionData<typeof rollupAbi>>;
  try {
    decoded = decodeFunctionData({ abi: rollupAbi, data: toHex(input) as Hex });
  } catch (cause) {
    throw new DecodeError(subject, `must match the function's ABI, ${input.length} bytes do not`, { cause });
  }
  if (decoded.functionName !== "propose") throw new DecodeError(subject, "must call propose");
  const [{ archive, oracleInput, header: h }, attestations, , , blobInput] = decoded.args;
  const uint = (value: bigint, length: number) => {
    try {
      return bigUintBytes(value, length);
    } catch (cause) {
      throw new DecodeError(subject, `header integer must fit ${length} bytes`, { cause });
    }
  };
  return {
    archiveRoot: fromHex(archive),
    feeAssetPriceModifier: oracleInput.feeAssetPriceModifier,
    header: concat(
      ...[h.lastArchiveRoot, h.blockHeadersHash, h.blobsHash, h.inHash, h.outHash].map(fromHex),
      uint(h.slotNumber, 32),
      uint(h.timestamp, 8),
      fromHex(h.coinbase),
      fromHex(h.feeRecipient),
      uint(h.gasFees.feePerDaGas, 16),
      uint(h.gasFees.feePerL2Gas, 16),
      uint(h.totalManaUsed, 32),
    ),
    signatureIndices: fromHex(attestations.signatureIndices),
    signaturesOrAddresses: fromHex(attestations.signaturesOrAddresses),
    blobCommitments: readBlobInput(fromHex(blobInput)),
  };
}

/** Inverse of `blobInput`. L1 has checked that the number is right. */
function readBlobInput(bytes: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.floor((bytes.length - 1) / BYTES_PER_COMMITMENT) }, (_, i) =>
    bytes.subarray(1 + i * BYTES_PER_COMMITMENT, 1 + (i + 1) * BYTES_PER_COMMITMENT),
  );
}

const PACKED_ATTESTATIONS = parseAbiParameters([
  "CommitteeAttestations attestations",
  "struct CommitteeAttestations { bytes signatureIndices; bytes signaturesOrAddresses; }",
]);

/**
 * keccak256 of the ABI encoding of the packed attestations, as the event carries it
 * (docs/protocol/04-l1-contracts.md#410-binding-hashes).
 */
export function attestationsHash(call: Pick<ProposeCall, "signatureIndices" | "signaturesOrAddresses">): Uint8Array {
  const encoded = encodeAbiParameters(PACKED_ATTESTATIONS, [
    {
      signatureIndices: toHex(call.signatureIndices) as Hex,
      signaturesOrAddresses: toHex(call.signaturesOrAddresses) as Hex,
    },
  ]);
  return keccak_256(fromHex(encoded));
}

/**
 * Why the call is not the one that the event commits to; undefined if it is
 * (docs/protocol/04-l1-contracts.md#410-binding-hashes).
 */
export function proposeMismatch(call: ProposeCall, event: ProposedEvent): string | undefined {
  if (!equal(attestationsHash(call), event.attestationsHash)) return "attestations do not hash to attestationsHash";
  const digest = payloadDigest(call.archiveRoot, call.feeAssetPriceModifier, checkpointHash(call.header));
  if (!equal(digest, event.payloadDigest)) return "archive, modifier and header do not hash to payloadDigest";
  return equal(call.archiveRoot, event.archiveRoot) ? undefined : "archive is not the event's";
}
