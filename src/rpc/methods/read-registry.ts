import { Registry } from "../registry.ts";
import { blockMethods } from "./blocks.ts";
import { checkpointMethods } from "./checkpoints.ts";
import { messageMethods } from "./messages.ts";
import { nodeStatusMethods } from "./node-status.ts";
import type { NodeServices } from "./services.ts";
import { tipMethods } from "./tips.ts";
import { worldStateMethods } from "./world-state.ts";

/** The methods of the read plane: pure functions of the synced chain and the world state. */
export function readRegistry(services: NodeServices): Registry {
  return new Registry([
    ...tipMethods(services),
    ...blockMethods(services),
    ...checkpointMethods(services),
    ...worldStateMethods(services),
    ...messageMethods(services),
    ...nodeStatusMethods(services),
  ]);
}
