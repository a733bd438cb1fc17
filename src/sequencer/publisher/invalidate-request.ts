import type { InvalidProposal } from "../../archiver/tables/invalid-proposal.ts";
import { MULTICALL3_ADDRESS } from "../../l1/abi/multicall3.ts";
import {
  CHECKPOINT_INVALIDATED_TOPIC,
  invalidationCalldata,
  pendingAt,
  pendingTip,
} from "../../l1/propose/invalidation.ts";
import { bundledGas } from "../../l1/propose/propose-gas.ts";
import { simulateCall } from "../../l1/propose/simulate.ts";
import type { StateOverride } from "../../l1/state-override.ts";
import { MAX_TX_GAS } from "../../l1/tx/estimate-gas.ts";
import { nextTime, type ProposeParts } from "./propose-request.ts";
import type { PublishRequest } from "./types.ts";

/** The call that removes a bad checkpoint from L1, and the pending chain as it leaves it. */
export interface Invalidation {
  request: PublishRequest;
  pending: StateOverride;
}

/** L1 would refuse to remove a checkpoint that this node found to be bad. */
export class InvalidationRefusedError extends Error {
  readonly checkpointNumber: number;

  constructor(checkpointNumber: number, reason: string) {
    super(reason);
    this.name = "InvalidationRefusedError";
    this.checkpointNumber = checkpointNumber;
  }
}

/** Slots after its own in which the request may still be sent. */
const VALID_SLOTS = 2;

/**
 * Returns undefined if L1's pending chain ends before the checkpoint. Throws an InvalidationRefusedError or L1Error
 * (docs/protocol/11-consensus.md#117-invalidation).
 */
export async function invalidateRequest(
  parts: ProposeParts,
  invalid: InvalidProposal,
  slot: number,
): Promise<Invalidation | undefined> {
  const { rpc, identity, settings } = parts;
  const { rollupAddress: to } = identity.addresses;
  const { checkpointNumber, reason } = invalid;
  const tip = await pendingTip(rpc, to);
  if (tip.number < checkpointNumber) return undefined;
  const data = invalidationCalldata({
    ...invalid,
    invalidIndex: reason === "invalid-attestation" ? invalid.invalidIndex : undefined,
  });
  const timestamp = await nextTime(parts, slot);
  const simulated = await simulateCall(rpc, { from: MULTICALL3_ADDRESS, to, data, timestamp });
  if (simulated.kind === "reverted") {
    // Somebody else may have been first.
    if ((await pendingTip(rpc, to)).number < checkpointNumber) return undefined;
    throw new InvalidationRefusedError(checkpointNumber, simulated.reason);
  }
  const gas = simulated.kind === "succeeded" ? simulated.gasUsed : MAX_TX_GAS;
  return {
    request: {
      action:
        reason === "invalid-attestation"
          ? "invalidate-by-invalid-attestation"
          : "invalidate-by-insufficient-attestations",
      to,
      data,
      gasLimit: bundledGas(gas, 0n, settings.gasLimitBufferPercentage),
      lastValidSlot: slot + VALID_SLOTS,
      proof: { address: to, topic: CHECKPOINT_INVALIDATED_TOPIC },
    },
    pending: pendingAt(to, tip, checkpointNumber - 1),
  };
}
