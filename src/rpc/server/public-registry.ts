import { blockMethods } from "../methods/chain/blocks.ts";
import { checkpointMethods } from "../methods/chain/checkpoints.ts";
import { developmentBlockMethods } from "../methods/chain/development-blocks.ts";
import { developmentCheckpointMethods } from "../methods/chain/development-checkpoints.ts";
import { syncedTimeMethods } from "../methods/chain/synced-time.ts";
import { tipMethods } from "../methods/chain/tips.ts";
import { contractMethods } from "../methods/contracts/contracts.ts";
import { developmentLogMethods } from "../methods/logs/development-logs.ts";
import { logMethods, type PublicLimits } from "../methods/logs/logs.ts";
import { l2ToL1WitnessMethods } from "../methods/messages/l2-to-l1-witness.ts";
import { messageMethods } from "../methods/messages/messages.ts";
import { debugMethods } from "../methods/node/debug.ts";
import { feeMethods } from "../methods/node/fees.ts";
import { nodeStatusMethods } from "../methods/node/node-status.ts";
import { peerMethods } from "../methods/node/peers.ts";
import { validatorMethods } from "../methods/node/validators.ts";
import { epochProvingMethods } from "../methods/proving/epoch-proving.ts";
import { agentMethods } from "../methods/proving/proving-broker.ts";
import { givenTxMethods } from "../methods/txs/given-tx.ts";
import { pooledTxMethods } from "../methods/txs/pooled-txs.ts";
import { txOutcomeMethods } from "../methods/txs/tx-outcome.ts";
import { worldStateMethods } from "../methods/world-state/world-state.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { type Method, Registry, spellingsOf } from "../registry/registry.ts";
import { subscriptionMethods } from "../subscriptions/methods.ts";

/** Every public method of both namespaces. */
export function publicRegistry(services: NodeServices, limits?: PublicLimits): Registry {
  const methods = [
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
  ];
  const { api } = services.chain.generation;
  return new Registry(api.hasReleaseApi ? methods : methods.map(withDevelopmentPeers), spellingsOf(api));
}

/** Where there is no API of a release, methods of p2p_ have the forms of the development API too. */
function withDevelopmentPeers(method: Method): Method {
  const { encode, params } = method;
  if (encode.p2p === undefined || encode.svc === undefined) return method;
  return { ...method, encode: { ...encode, p2p: encode.svc }, params: { ...params, p2p: params.svc } };
}
