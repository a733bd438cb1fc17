import { MULTICALL3_ADDRESS } from "../../l1/abi/multicall3.ts";
import { CHECKPOINT_PROPOSED_TOPIC } from "../../l1/checkpoints/proposed-event.ts";
import { L1Error } from "../../l1/errors.ts";
import { attestationsAndSignersHash } from "../../l1/propose/attestations.ts";
import { proposeCalldata } from "../../l1/propose/propose-calldata.ts";
import { checkProposal } from "../../l1/propose/propose-gas.ts";
import { simulateCall } from "../../l1/propose/simulate.ts";
import type { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { latestTime } from "../../l1/tx/account-reads.ts";
import type { L1Sender } from "../../l1/tx/l1-sender.ts";
import type { L1TxSettings } from "../../l1/tx/settings.ts";
import type { BlobSidecars } from "../../l1/tx/transaction.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { slotTimestamp } from "../../protocol/time.ts";
import type { CheckpointToPublish, PublishOutcome, PublishRequest } from "./types.ts";

export interface ProposeParts {
  rpc: L1Rpc;
  identity: Pick<RollupIdentity, "addresses" | "constants">;
  generation: Pick<Generation, "consensus" | "l1">;
  settings: L1TxSettings;
  signal: AbortSignal;
}

/** The propose request, or why the rollup would reject it. */
export async function proposeRequest(
  parts: ProposeParts,
  sender: L1Sender,
  publication: CheckpointToPublish,
  sidecars: BlobSidecars,
): Promise<PublishRequest | Extract<PublishOutcome, { reason: string }>> {
  const { rpc, identity, generation, settings, signal } = parts;
  const { checkpoint, attestations, slot, feeAssetPriceModifier, timeoutAt } = publication;
  const { rollupAddress } = identity.addresses;
  const signedHash = attestationsAndSignersHash(generation.consensus, attestations);
  const signature = attestations.signature ?? (await sender.signer.signMessage(signedHash, signal));
  const { archiveRoot, header } = checkpoint;
  const { commitments } = sidecars;
  const calldata = proposeCalldata({
    archiveRoot,
    feeAssetPriceModifier,
    header,
    attestations,
    signature,
    commitments,
  });
  const timestamp = await nextTime(parts, slot);
  const call = { sender: sender.address, rollupAddress, calldata, sidecars, timestamp, pending: publication.pending };
  const check = await checkProposal(rpc, call, settings);
  if (check.kind === "reverts") return { kind: "rejected", reason: check.reason };
  return {
    action: "propose",
    to: rollupAddress,
    data: calldata,
    gasLimit: check.gasLimit,
    lastValidSlot: slot,
    timeoutAt,
    proof: { address: rollupAddress, topic: CHECKPOINT_PROPOSED_TOPIC },
  };
}

/** L1 timestamp (seconds) to simulate at: that of the next L1 block, but not before the slot. */
export async function nextTime(
  { rpc, identity }: Pick<ProposeParts, "rpc" | "identity">,
  slot: number,
): Promise<number> {
  const { constants } = identity;
  const next = (await latestTime(rpc)) / 1000 + constants.ethereumSlotDuration + 1;
  return Math.max(next, slotTimestamp(slot, constants));
}

/** Simulates a call that had no effect, to learn its revert reason. */
export async function revertReason(
  parts: Pick<ProposeParts, "rpc" | "identity">,
  { to, data }: PublishRequest,
  slot: number,
): Promise<string> {
  try {
    const timestamp = await nextTime(parts, slot);
    const result = await simulateCall(parts.rpc, { from: MULTICALL3_ADDRESS, to, data, timestamp });
    return result.kind === "reverted" ? result.reason : "L1 gives no reason";
  } catch (error) {
    if (!(error instanceof L1Error)) throw error;
    return error.message;
  }
}
