import { keccak_256 } from "@noble/hashes/sha3.js";
import { encodeFunctionData, type Hex, parseAbi, toEventSelector } from "viem";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../protocol/bytes.ts";
import { repackAttestations } from "../committee/packed-attestations.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { StateOverride } from "../state-override.ts";
import type { CommitteeAttestation } from "../types.ts";

const abi = parseAbi([
  "struct CommitteeAttestations { bytes signatureIndices; bytes signaturesOrAddresses; }",
  "function invalidateBadAttestation(uint256 checkpoint, CommitteeAttestations attestations, address[] committee, uint256 invalidIndex)",
  "function invalidateInsufficientAttestations(uint256 checkpoint, CommitteeAttestations attestations, address[] committee)",
  "event CheckpointInvalidated(uint256 indexed checkpointNumber)",
]);

export const CHECKPOINT_INVALIDATED_TOPIC = toEventSelector(abi[2]);

/** A checkpoint on L1 whose attestations break a rule. */
interface BadCheckpoint {
  checkpointNumber: number;
  /** Committee position of the first entry that is not its member's; undefined: there are too few signatures. */
  invalidIndex: number | undefined;
  /** 20-byte addresses. */
  committee: readonly Uint8Array[];
  /** As they were posted. */
  attestations: readonly CommitteeAttestation[];
  /** Bits of the posted bitmap that belong to no member. */
  unusedBits: number;
}

/**
 * Input of the call that removes a checkpoint and all after it from L1's pending chain
 * (docs/protocol/04-l1-contracts.md#422-invalid-attestations).
 */
export function invalidationCalldata({ checkpointNumber, invalidIndex, ...posted }: BadCheckpoint): Uint8Array {
  const committee = posted.committee.map((address) => toHex(address) as Hex);
  const common = [BigInt(checkpointNumber), repacked(posted), committee] as const;
  const input =
    invalidIndex === undefined
      ? encodeFunctionData({ abi, functionName: "invalidateInsufficientAttestations", args: common })
      : encodeFunctionData({
          abi,
          functionName: "invalidateBadAttestation",
          args: [...common, BigInt(invalidIndex)],
        });
  return fromHex(input);
}

function repacked({ attestations, unusedBits }: Pick<BadCheckpoint, "attestations" | "unusedBits">) {
  const { signatureIndices, signaturesOrAddresses } = repackAttestations(attestations, unusedBits);
  return {
    signatureIndices: toHex(signatureIndices) as Hex,
    signaturesOrAddresses: toHex(signaturesOrAddresses) as Hex,
  };
}

/**
 * Slot of the rollup's tips: pending u128 | proven u128 (docs/protocol/04-l1-contracts.md#42-constants-of-a-rollup).
 */
const TIPS_SLOT = toHex(keccak_256(new TextEncoder().encode("aztec.stf.storage")));

/** L1's pending checkpoint number, and the word that holds it. Throws an L1Error. */
export async function pendingTip(rpc: L1Rpc, rollupAddress: string): Promise<{ number: number; word: Uint8Array }> {
  const word = await rpc.request({
    method: "eth_getStorageAt",
    params: [rollupAddress, TIPS_SLOT, "latest"],
    parse: (answer) => bytes(answer, "tips", 32),
    about: "Rollup tips",
  });
  return { number: Number(readBigUint(word, 0, 16)), word };
}

/** The rollup as if its pending chain ended with checkpoint `number`. */
export function pendingAt(rollupAddress: string, { word }: { word: Uint8Array }, number: number): StateOverride {
  const value = concat(bigUintBytes(BigInt(number), 16), word.subarray(16));
  return { address: rollupAddress, slot: TIPS_SLOT, value: toHex(value) };
}
