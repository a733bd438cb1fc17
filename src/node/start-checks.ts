import { refuseProofs } from "../bot/beside-node.ts";
import { botOptions } from "../bot/bot-options.ts";
import type { Values } from "../config/options.ts";
import { checkResource } from "../process/otlp/resource.ts";
import { apiKeys } from "./keys/api-keys.ts";
import { requireProposerKeys } from "./keys/proposer-keys.ts";
import { requireProverKeys } from "./keys/prover-keys.ts";
import { configuredGroup } from "./keys/signing-guard.ts";
import { checkProver } from "./parts/prover.ts";
import { checkValidator } from "./parts/validator.ts";
import { hasProver } from "./settings/roles.ts";

/** A condition of a start. Throws or rejects with an OperatorError. */
type Check = (values: Values) => unknown;

const when =
  (applies: (values: Values) => boolean, check: Check): Check =>
  (values) =>
    applies(values) ? check(values) : undefined;

/** Its libraries take time that other nodes save. */
const checkPeers: Check = async (values) => (await import("./parts/p2p.ts")).checkP2p(values);

/**
 * What the options of a node must be: everything that its start can refuse without a look at the network, the data
 * directory or the machine. Options come before files.
 */
export const NODE_CHECKS: readonly Check[] = [
  checkResource,
  apiKeys,
  checkValidator,
  configuredGroup,
  when(hasProver, checkProver),
  when(({ bot }) => bot, refuseProofs),
  when(({ bot }) => bot, botOptions),
  when(({ sequencer }) => sequencer, requireProposerKeys),
  when(hasProver, requireProverKeys),
  when(({ p2pEnabled }) => p2pEnabled, checkPeers),
];
