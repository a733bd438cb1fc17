import { ARCHIVE } from "../../../protocol/constants.ts";
import { encodeSyncStatus, type SyncStatus } from "../../codecs/release/sync-status.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method } from "../../registry/registry.ts";
import type { StateSource } from "../chain/reference-block.ts";
import { appendedWitnessMethods } from "./appended-witnesses.ts";
import { indexedWitnessMethods } from "./indexed-witnesses.ts";
import { leafIndexMethods } from "./leaf-indexes.ts";
import { publicStorageMethods } from "./public-storage.ts";

export function worldSyncStatus(world: Pick<NodeServices["world"], "status" | "leafAt">): SyncStatus {
  const { tip, finalized, oldest } = world.status();
  return {
    latestBlockNumber: tip,
    latestBlockHash: world.leafAt(tip, ARCHIVE, tip),
    finalizedBlockNumber: finalized,
    oldestHistoricBlockNumber: oldest,
  };
}

/** Reads of the trees as of a block (docs/protocol/05-rpc.md#520-world-state), and how far the trees have come. */
export function worldStateMethods(services: StateSource & Pick<NodeServices, "core">): Method[] {
  const { world } = services;
  return [
    ...publicStorageMethods(services),
    ...leafIndexMethods(services),
    ...indexedWitnessMethods(services),
    ...appendedWitnessMethods(services),
    method({
      name: "getWorldStateSyncStatus",
      summary: "How far the trees have come",
      params: [],
      handle: () => worldSyncStatus(world),
      encode: { node: encodeSyncStatus, svc: encodeSyncStatus },
    }),
  ];
}
