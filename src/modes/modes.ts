import { ConfigurationError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { bootnodeMode } from "./bootnode.ts";
import { botMode } from "./bot.ts";
import { followerMode } from "./follower.ts";
import { localNetworkMode } from "./local-network.ts";
import type { Mode } from "./mode.ts";
import { nodeMode } from "./node.ts";
import { proverAgentMode } from "./prover-agent.ts";
import { proverBrokerMode } from "./prover-broker.ts";
import { rpcOnlyMode } from "./rpc-only.ts";

/** In order of precedence. */
const MODES: readonly Mode[] = [
  localNetworkMode,
  bootnodeMode,
  proverBrokerMode,
  proverAgentMode,
  followerMode,
  rpcOnlyMode,
  botMode,
  nodeMode,
];

/** Modes that run alone, by their flags. */
const ALONE = [
  ["p2pBootstrap", "--p2p-bootstrap"],
  ["proverBroker", "--prover-broker"],
  ["proverAgent", "--prover-agent"],
  ["follower", "--follower"],
  ["rpcOnly", "--rpc-only"],
] as const;

/**
 * The mode that the flags select. Throws ConfigurationError if they select none, only a part that needs another mode,
 * or a bootnode, a broker, agents or a follower together with another mode.
 */
export function selectedMode(values: Values): Mode {
  const { localNetwork, node, bot, sequencer } = values;
  const [alone, other] = ALONE.filter(([key]) => values[key]);
  if (alone !== undefined && (other !== undefined || localNetwork || node || bot || sequencer)) {
    throw new ConfigurationError(`${alone[1]} runs alone, not with the other modes`);
  }
  const mode = MODES.find(({ selected }) => selected(values));
  if (mode !== undefined) return mode;
  if (bot) throw new ConfigurationError("--bot runs alone or with --node, not with the other modes");
  if (sequencer) throw new ConfigurationError("Cannot run a standalone sequencer without a node");
  throw new ConfigurationError("No module specified to start; svc start --node runs a node");
}
