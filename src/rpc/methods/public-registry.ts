import type { NodeServices } from "../ports/node-services.ts";
import { Registry } from "../registry/registry.ts";
import { blockMethods } from "./blocks.ts";
import { checkpointMethods } from "./checkpoints.ts";
import { contractMethods } from "./contracts.ts";
import { debugMethods } from "./debug.ts";
import { developmentBlockMethods } from "./development/blocks.ts";
import { developmentCheckpointMethods } from "./development/checkpoints.ts";
import { l2ToL1WitnessMethods } from "./development/l2-to-l1-witness.ts";
import { developmentLogMethods } from "./development/logs.ts";
import { syncedTimeMethods } from "./development/synced-time.ts";
import { epochProvingMethods } from "./epoch-proving.ts";
import { feeMethods } from "./fees.ts";
import { logMethods, type PublicLimits } from "./logs.ts";
import { messageMethods } from "./messages.ts";
import { nodeStatusMethods } from "./node-status.ts";
import { peerMethods } from "./peers.ts";
import { agentMethods } from "./proving-broker.ts";
import { subscriptionMethods } from "./subscriptions.ts";
import { tipMethods } from "./tips.ts";
import { givenTxMethods } from "./txs/given-tx.ts";
import { pooledTxMethods } from "./txs/pooled-txs.ts";
import { txOutcomeMethods } from "./txs/tx-outcome.ts";
import { validatorMethods } from "./validators.ts";
import { worldStateMethods } from "./world-state.ts";

/** Every public method of both namespaces. */
export function publicRegistry(services: NodeServices, limits?: PublicLimits): Registry {
  return new Registry([
    ...tipMethods(services),
    ...syncedTimeMethods(services),
    ...blockMethods(services),
    ...developmentBlockMethods(services),
    ...checkpointMethods(services),
    ...developmentCheckpointMethods(services),
    ...givenTxMethods(services),
    ...txOutcomeMethods(services),
    ...pooledTxMethods(services),
    ...worldStateMethods(services),
    ...messageMethods(services),
    ...l2ToL1WitnessMethods(services),
    ...logMethods(services, limits),
    ...developmentLogMethods(services),
    ...contractMethods(services),
    ...feeMethods(services),
    ...nodeStatusMethods(services),
    ...validatorMethods(services),
    ...peerMethods(services),
    ...debugMethods(services),
    ...epochProvingMethods(services),
    ...agentMethods(services.jobSource),
    ...subscriptionMethods(),
  ]);
}
