import type { L1Block } from "../l1/types.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { type L1Constants, slotAt } from "../protocol/time.ts";
import type { ChainReader } from "./types.ts";

/**
 * The last slot that L1 can no longer change: it is over on L1, or its checkpoint is there. Undefined before anything
 * was read.
 */
export function syncedSlot(
  chain: Pick<ChainReader, "checkpoint" | "latestCheckpointNumber">,
  processed: Pick<L1Block, "timestamp"> | undefined,
  constants: Pick<L1Constants, "l1GenesisTime" | "slotDuration" | "ethereumSlotDuration">,
): number | undefined {
  const next = processed && slotAt(processed.timestamp + constants.ethereumSlotDuration, constants);
  const latest = chain.checkpoint(chain.latestCheckpointNumber());
  const signals = [...(next ? [next - 1] : []), ...(latest ? [checkpointSlot(latest.header)] : [])];
  return signals.length === 0 ? undefined : Math.max(...signals);
}
