import { type Configuration, configure } from "../config/configuration.ts";
import type { OptionKey, Values } from "../config/options.ts";
import { loadCore } from "../core/load-core.ts";
import { type DeploymentProgress, deployL1Contracts } from "../l1/deploy/deploy-l1-contracts.ts";
import { deployerFromMnemonic } from "../l1/deploy/deployer.ts";
import type { InitialValidator } from "../l1/deploy/validators.ts";
import { connectRollup } from "../l1/rollup/connect.ts";
import { genesisPublicData } from "../network/genesis.ts";
import { toHex } from "../protocol/bytes.ts";
import { ARCHIVE, INITIAL_FEE_JUICE } from "../protocol/constants.ts";
import { DEFAULT_GENERATION } from "../protocol/generations/known/choose.ts";
import type { Logger } from "../telemetry/logger.ts";
import { genesisContent, genesisState } from "../world-state/genesis.ts";
import { DevnetError } from "./errors.ts";
import type { DeployedDevnet } from "./folder.ts";
import { DEPLOYER_MNEMONIC, L1_CHAIN_ID } from "./l1-part.ts";
import { committee, type DevnetPlan } from "./plan.ts";

/**
 * Slots long enough for two blocks, attestations and publishing
 * (docs/protocol/08-building-and-checkpoints.md#82-timetable).
 */
const FAST = { ethereumSlotDuration: 2, aztecSlotDuration: 8, aztecEpochDuration: 4 } as const;
/** Epochs before the start: the committee of an epoch is drawn from the validators of an earlier one. */
const EPOCHS_BEFORE = 5;
/** L1 blocks that a deployment takes at most, each an L1 slot after the other. */
const DEPLOYMENT_BLOCKS = 150;
/** Without a prover nothing proves the blocks, and they should stay. */
const NEVER = 1_000_000;

/** The environment's options. A devnet is no public network, whose preset would otherwise rank above its own values. */
export function devnetConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  return configure({ flags: new Map(), environment: { ...environment, NETWORK: undefined } });
}

type Parameters = Pick<Values, "ethereumSlotDuration" | "aztecSlotDuration" | "aztecEpochDuration"> & Values;

/** The parameters of the contracts: what the variables of `svc deploy-l1-contracts` say, else those of a devnet. */
export function deploymentParameters(
  plan: DevnetPlan,
  environment: Readonly<Record<string, string | undefined>>,
): Parameters {
  const { values, origins } = devnetConfiguration(environment);
  const own: Partial<Values> = {
    ...(plan.fast && FAST),
    ...(!plan.prover && { aztecProofSubmissionEpochs: NEVER }),
    slasherFlavor: "tally",
  };
  const unset = Object.entries(own).filter(([key]) => origins[key as OptionKey].kind === "default");
  return {
    ...values,
    ...Object.fromEntries(unset),
    aztecTargetCommitteeSize: committee(plan).size,
    testAccounts: true,
    sponsoredFpc: true,
  };
}

/** Time of the first L1 block, in seconds: so long ago that the first epoch after the deployment has a committee. */
export function l1Genesis(p: Parameters): number {
  const before =
    EPOCHS_BEFORE * p.aztecEpochDuration * p.aztecSlotDuration + DEPLOYMENT_BLOCKS * p.ethereumSlotDuration;
  return Math.floor(Date.now() / 1000) - before;
}

interface DeployOptions {
  url: string;
  parameters: Parameters;
  validators: readonly InitialValidator[];
  onProgress: (progress: DeploymentProgress) => void;
  logger: Logger;
  signal: AbortSignal;
}

/** Deploys the contracts with the validators. Throws as deployL1Contracts, or a DevnetError. */
export async function deployDevnet(options: DeployOptions): Promise<DeployedDevnet> {
  const { url, parameters, validators, onProgress, logger, signal } = options;
  const core = loadCore();
  const generation = DEFAULT_GENERATION;
  const funded = genesisPublicData(core, parameters, generation);
  const { addresses, rollupVersion, queuedValidators } = await deployL1Contracts(
    {
      l1RpcUrls: [url],
      l1ChainId: L1_CHAIN_ID,
      deployer: deployerFromMnemonic(DEPLOYER_MNEMONIC, 0),
      parameters,
      contracts: generation.contracts,
      genesisArchiveRoot: genesisState(core, genesisContent(generation, funded)).fork.snapshot(ARCHIVE).root,
      feeJuicePortalFunding: INITIAL_FEE_JUICE * BigInt(funded.length),
      ethereumSlotDuration: parameters.ethereumSlotDuration,
      validators,
      onProgress,
      logger,
    },
    signal,
  );
  if (queuedValidators > 0) {
    throw new DevnetError(
      `the contracts admit ${validators.length - queuedValidators} of ${validators.length} validators`,
    );
  }
  const { identity } = await connectRollup({
    ...{ l1RpcUrls: [url], l1ChainId: L1_CHAIN_ID, ethereumSlotDuration: parameters.ethereumSlotDuration },
    ...{ registryAddress: addresses.registryAddress, otherAddresses: {} },
  });
  return {
    addresses,
    rollupVersion,
    l1GenesisTime: identity.constants.l1GenesisTime,
    l1SlotSeconds: parameters.ethereumSlotDuration,
    slotSeconds: parameters.aztecSlotDuration,
    epochSlots: parameters.aztecEpochDuration,
    prefundAddresses: parameters.prefundAddresses.map(toHex),
  };
}
