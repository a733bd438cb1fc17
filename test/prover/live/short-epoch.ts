import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../world/live/json-rpc.ts";
import type { ReferenceNetwork } from "../../world/live/reference-network.ts";

/** More txs than a block can have: a sequencer that demands them builds no block. */
const NEVER = 1_000_000;
/** By then a slot's checkpoint has been sent, and the next slot's is not begun. */
const PART_OF_SLOT = 0.9;

/**
 * Lets the proposers leave all but the first slot of the next epoch empty, so that the epoch has one checkpoint at
 * most. The nodes must be the only ones that propose, and their admin ports follow their JSON-RPC ports and need no
 * key.
 */
export async function shortenNextEpoch(network: ReferenceNetwork, signal: AbortSignal): Promise<void> {
  const { genesisMs, slotDurationMs, epochSlots, nodes } = network;
  const epochMs = epochSlots * slotDurationMs;
  const start = genesisMs + Math.ceil((Date.now() - genesisMs) / epochMs) * epochMs;
  const settle = PART_OF_SLOT * slotDurationMs;
  const demand = async (minTxsPerBlock: number): Promise<void> => {
    for (const { url } of nodes) {
      const admin = new URL(url);
      admin.port = String(Number(admin.port) + 1);
      await call(admin.href, "nodeAdmin_setConfig", { minTxsPerBlock });
    }
  };
  const until = (time: number) => sleep(Math.max(0, time - Date.now()), undefined, { signal }).catch(() => {});
  await until(start + settle);
  if (signal.aborted) return;
  await demand(NEVER);
  await until(start + epochMs - slotDurationMs + settle);
  await demand(0);
}
