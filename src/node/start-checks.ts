import { refuseProofs } from "../bot/beside-node.ts";
import { botOptions } from "../bot/bot-options.ts";
import type { Values } from "../config/options.ts";
import { type PartValues, partValues } from "../config/part-values.ts";
import { checkResource } from "../process/otlp/resource.ts";
import { apiKeys } from "./keys/api-keys.ts";
import { requireProposerKeys } from "./keys/proposer-keys.ts";
import { requireProverKeys } from "./keys/prover-keys.ts";
import { configuredGroup } from "./keys/signing-guard.ts";
import { checkValidator } from "./parts/validator.ts";
import { checkProver } from "./prover/check-prover.ts";
import { checkObjectStores, requireBlobFolder } from "./settings/object-stores.ts";
import { hasProver } from "./settings/roles.ts";

/** A condition of a start. Throws or rejects with an OperatorError. */
type Check = (values: PartValues) => unknown;

const when =
  (applies: (values: PartValues) => boolean, check: Check): Check =>
  (values) =>
    applies(values) ? check(values) : undefined;

/** Its libraries take time that other nodes save. */
const checkPeers: Check = async (values) => (await import("./parts/p2p.ts")).checkP2p(values);

const proves = ({ modes }: PartValues): boolean => hasProver(modes);

const CHECKS: readonly Check[] = [
  ({ otlp }) => checkResource(otlp),
  ({ rpc }) => apiKeys(rpc.keys),
  checkValidator,
  ({ signing }) => configuredGroup(signing),
  when(proves, checkProver),
  when(
    ({ modes }) => modes.bot,
    ({ proofs }) => refuseProofs(proofs),
  ),
  when(
    ({ modes }) => modes.bot,
    ({ bot }) => botOptions(bot),
  ),
  when(
    ({ modes }) => modes.sequencer,
    ({ keys }) => requireProposerKeys(keys),
  ),
  when(proves, ({ keys }) => requireProverKeys(keys)),
  checkObjectStores,
  requireBlobFolder,
  when(({ p2p }) => p2p.enabled, checkPeers),
];

/**
 * What the options of a node must be: everything that its start can refuse without a look at the network, the data
 * directory or the machine. Options come before files.
 */
export const NODE_CHECKS: readonly ((values: Values) => unknown)[] = CHECKS.map(
  (check) => (values) => check(partValues(values)),
);
