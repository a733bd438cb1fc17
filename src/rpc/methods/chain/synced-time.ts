import { syncedSlot } from "../../../archiver/synced-slot.ts";
import { epochOfSlot, epochSlots } from "../../../protocol/time.ts";
import { l1ConstantsEncoder } from "../../codecs/development/rollup-constants.ts";
import { encodeEpochNumber, encodeSlotNumber, encodeTimestamp } from "../../codecs/json/encoder.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method } from "../../registry/registry.ts";

type Services = Pick<NodeServices, "chain" | "identity" | "sync">;

function slotOf({ chain, identity: { constants }, sync }: Services): number | undefined {
  return syncedSlot(chain, sync.lastProcessedL1Block(), constants);
}

/**
 * The rollup's slots and epochs, and how far the node has synced (docs/protocol/05-rpc.md#519-tips-and-synced-time).
 */
export function syncedTimeMethods(services: Services): Method[] {
  const { constants } = services.identity;
  return [
    method({
      name: "getL1Constants",
      summary: "Constants of the rollup",
      params: [],
      handle: () => services.identity,
      encode: { svc: l1ConstantsEncoder(services.chain.generation.api) },
    }),
    method({
      name: "getSyncedL2SlotNumber",
      summary: "Last slot for which all of L1 is known",
      params: [],
      handle: () => slotOf(services),
      nothing: "before anything of L1 is known",
      encode: { svc: encodeSlotNumber },
    }),
    method({
      name: "getSyncedL2EpochNumber",
      summary: "Last epoch for which all of L1 is known",
      params: [],
      handle: () => {
        const slot = slotOf(services);
        if (slot === undefined) return undefined;
        const epoch = epochOfSlot(slot, constants);
        const whole = slot >= epochSlots(epoch, constants).last ? epoch : epoch - 1;
        return whole < 0 ? undefined : whole;
      },
      nothing: "before a whole epoch of L1 is known",
      encode: { svc: encodeEpochNumber },
    }),
    method({
      name: "getSyncedL1Timestamp",
      summary: "Timestamp of the last L1 block that was processed",
      params: [],
      handle: () => services.sync.lastProcessedL1Block()?.timestamp,
      nothing: "before anything of L1 is known",
      encode: { svc: encodeTimestamp },
    }),
  ];
}
