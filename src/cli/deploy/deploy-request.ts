import { l1Address } from "../../config/kinds/protocol-kinds.ts";
import type { Values } from "../../config/options.ts";
import { loadCore } from "../../core/load-core.ts";
import type { DeployOptions } from "../../l1/deploy/deploy-l1-contracts.ts";
import { type Deployer, deployerFromKey, deployerFromMnemonic } from "../../l1/deploy/deployer.ts";
import { isDevelopmentChain } from "../../l1/deploy/development-chain.ts";
import { DeploymentParameterError } from "../../l1/deploy/errors.ts";
import { randomSecretKey } from "../../l1/deploy/validator-keys.ts";
import { genesisPublicData } from "../../network/genesis.ts";
import { ARCHIVE, INITIAL_FEE_JUICE } from "../../protocol/constants.ts";
import { DEFAULT_GENERATION } from "../../protocol/generations/known/choose.ts";
import { genesisContent, genesisState } from "../../world-state/genesis.ts";

/** Flags of the command that are not in the table of options. */
export interface DeployFlags {
  privateKey?: string;
  mnemonic?: string;
  mnemonicIndex?: string;
  validators?: string;
  testAccounts?: true;
  sponsoredFpc?: true;
  realVerifier?: true;
  existingToken?: string;
  output?: string;
  json?: true;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const TEST_MNEMONIC = "test test test test test test test test test test test junk";

function deployerOf(flags: DeployFlags, environment: Environment, l1ChainId: number): Deployer {
  if (flags.privateKey !== undefined && flags.mnemonic !== undefined)
    throw new DeploymentParameterError("--private-key and --mnemonic", "cannot be given together");
  const key = flags.privateKey ?? (flags.mnemonic === undefined ? environment.PRIVATE_KEY : undefined);
  if (key) return deployerFromKey(key.trim());
  const words = flags.mnemonic || environment.MNEMONIC;
  if (!words && !isDevelopmentChain(l1ChainId)) {
    const rule = `must be given on chain ${l1ChainId}: everybody has the key of the test words`;
    throw new DeploymentParameterError("--private-key or --mnemonic", rule);
  }
  const index = flags.mnemonicIndex ?? "0";
  return deployerFromMnemonic(words || TEST_MNEMONIC, /^\d{1,10}$/.test(index.trim()) ? Number(index) : -1);
}

function address(flag: string, text: string): string {
  const value = l1Address.parse(text);
  if (value === undefined) throw new DeploymentParameterError(flag, l1Address.rule);
  return value;
}

/** Without the flag there are no validators. With it an empty text is a mistake, such as a variable that is not set. */
function listed(text: string | undefined): string[] {
  if (text === undefined) return [];
  if (text.trim() === "") {
    throw new DeploymentParameterError("--validators", "is empty: give L1 addresses, or leave it out for none");
  }
  return text.split(",").map((part) => part.trim());
}

/** Options for deployL1Contracts, from flags, variables and the table of options. Throws DeploymentParameterError. */
export function deployRequest(values: Values, flags: DeployFlags, environment: Environment): DeployOptions {
  if (values.l1RpcUrls.length === 0)
    throw new DeploymentParameterError("An L1 RPC URL", "is required: give --l1-rpc-urls or ETHEREUM_HOSTS");
  const deployer = deployerOf(flags, environment, values.l1ChainId);
  const validators = listed(flags.validators).map((text, i) => {
    const attester = address(`item ${i + 1} of --validators`, text);
    return { attester, withdrawer: attester, blsSecretKey: randomSecretKey() };
  });
  const existingToken =
    flags.existingToken === undefined ? undefined : address("--existing-token", flags.existingToken);
  const core = loadCore();
  const generation = DEFAULT_GENERATION;
  const accounts = {
    testAccounts: flags.testAccounts ?? values.testAccounts,
    sponsoredFpc: flags.sponsoredFpc ?? values.sponsoredFpc,
    prefundAddresses: values.prefundAddresses,
  };
  const funded = genesisPublicData(core, accounts, generation);
  return {
    l1RpcUrls: values.l1RpcUrls,
    l1ChainId: values.l1ChainId,
    deployer,
    parameters: values,
    contracts: generation.contracts,
    genesisArchiveRoot: genesisState(core, genesisContent(generation, funded)).fork.snapshot(ARCHIVE).root,
    feeJuicePortalFunding: INITIAL_FEE_JUICE * BigInt(funded.length),
    ethereumSlotDuration: values.ethereumSlotDuration,
    network: values.network,
    validators,
    realVerifier: flags.realVerifier ?? false,
    existingToken,
  };
}
