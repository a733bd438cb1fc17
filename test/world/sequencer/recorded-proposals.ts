import { decodeFunctionData, type Hex, parseTransaction } from "viem";
import { multicall3Abi } from "../../../src/l1/abi/multicall3.ts";
import { readProposeCall } from "../../../src/l1/checkpoints/propose-call.ts";
import { NO_ATTESTATIONS } from "../../../src/l1/propose/attestations.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { CheckpointToPublish } from "../../../src/sequencer/publisher/types.ts";
import type { RecordedBlock } from "../l1/replayed-l1.ts";

/** Key of the recorded network's publisher: the first account of the development mnemonic. */
export const PUBLISHER_KEY = fromHex("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");

export interface RecordedProposal {
  publication: Omit<CheckpointToPublish, "timeoutAt">;
  /** Calldata of the recorded transaction. */
  input: Hex;
  gas: bigint;
}

/** The proposal of a recorded L1 block, in the form that the publisher takes. */
export function recordedProposal(block: RecordedBlock, checkpointNumber: number): RecordedProposal {
  for (const raw of block.transactions) {
    const tx = parseTransaction(raw);
    if (tx.type !== "eip4844" || tx.data === undefined) continue;
    const [[call]] = decodeFunctionData({ abi: multicall3Abi, data: tx.data }).args;
    const { archiveRoot, header, feeAssetPriceModifier } = readProposeCall(fromHex(call.callData), V4);
    const blobs = (tx.sidecars || []).map(({ blob }) => fromHex(blob as string));
    return {
      publication: {
        checkpoint: { checkpointNumber, header, archiveRoot, blobs },
        attestations: NO_ATTESTATIONS,
        slot: checkpointSlot(header),
        feeAssetPriceModifier: Number(feeAssetPriceModifier),
      },
      input: tx.data,
      gas: tx.gas ?? 0n,
    };
  }
  throw new Error(`recorded block ${block.number} proposes nothing`);
}
