import { ConfigurationError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { bootnodeMode } from "./bootnode.ts";
import { botMode } from "./bot.ts";
import { localNetworkMode } from "./local-network.ts";
import type { Mode } from "./mode.ts";
import { nodeMode } from "./node.ts";
import { proverBrokerMode } from "./prover-broker.ts";

/** In order of precedence. */
const MODES: readonly Mode[] = [localNetworkMode, bootnodeMode, proverBrokerMode, botMode, nodeMode];

/**
 * The mode that the flags select. Throws ConfigurationError if they select none, only a part that needs another mode,
 * or a bootnode or a broker together with another mode.
 */
export function selectedMode(values: Values): Mode {
  const { localNetwork, node, bot, sequencer, p2pBootstrap, proverBroker } = values;
  const others = localNetwork || node || bot || sequencer;
  if (p2pBootstrap && (others || proverBroker)) {
    throw new ConfigurationError("--p2p-bootstrap runs alone, not with the other modes");
  }
  if (proverBroker && others) throw new ConfigurationError("--prover-broker runs alone, not with the other modes");
  const mode = MODES.find(({ selected }) => selected(values));
  if (mode !== undefined) return mode;
  if (bot) throw new ConfigurationError("--bot runs alone or with --node, not with the other modes");
  if (sequencer) throw new ConfigurationError("Cannot run a standalone sequencer without a node");
  throw new ConfigurationError("No module specified to start; svc start --node runs a node");
}
