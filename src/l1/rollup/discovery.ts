import { feeAssetAbi, governanceAbi, registryAbi } from "../abi/registry.ts";
import { rollupAbi } from "../abi/rollup.ts";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import { type Contract, read } from "../contracts/contract.ts";
import { ContractRevertError, RollupNotFoundError, WrongContractError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { type ConfiguredAddresses, optionalAddresses } from "./optional-addresses.ts";

export interface DiscoveryOptions {
  registryAddress: string;
  /** Version number, or else index in the registry. Unset means the canonical (newest) rollup. */
  rollupVersion?: number;
  /** Address of the rollup; if given, the registry is not asked for it. */
  rollupAddress?: string;
  /** Contracts that cannot be found through the registry. */
  otherAddresses?: ConfiguredAddresses;
}

const reverted = (error: unknown) => error instanceof ContractRevertError;

const registryAt = (address: string): Contract<typeof registryAbi> => ({
  name: "Registry",
  address: address.toLowerCase(),
  abi: registryAbi,
});

/** Address of the rollup that the options name, lower-case (docs/protocol/04-l1-contracts.md#41-discovery). */
export async function findRollup(rpc: L1Rpc, options: DiscoveryOptions): Promise<string> {
  const { rollupAddress, rollupVersion, registryAddress } = options;
  return (rollupAddress ?? (await registeredRollup(rpc, registryAt(registryAddress), rollupVersion))).toLowerCase();
}

async function registeredRollup(
  rpc: L1Rpc,
  registry: Contract<typeof registryAbi>,
  version: number | undefined,
): Promise<string> {
  try {
    if (version === undefined) return await read(rpc, registry, "getCanonicalRollup", []);
    try {
      return await read(rpc, registry, "getRollup", [BigInt(version)]);
    } catch (error) {
      if (!reverted(error)) throw error;
      const byIndex = await read(rpc, registry, "getVersion", [BigInt(version)]);
      return await read(rpc, registry, "getRollup", [byIndex]);
    }
  } catch (error) {
    throw reverted(error) ? new RollupNotFoundError(registry.address, version, error) : error;
  }
}

/**
 * The contracts of a network, starting from its registry (docs/protocol/04-l1-contracts.md#41-discovery). Lower-case
 * addresses.
 */
export async function discoverContracts(rpc: L1Rpc, options: DiscoveryOptions): Promise<L1ContractAddresses> {
  try {
    return await contractsOf(rpc, options);
  } catch (error) {
    throw error instanceof ContractRevertError ? new WrongContractError(error) : error;
  }
}

async function contractsOf(rpc: L1Rpc, options: DiscoveryOptions): Promise<L1ContractAddresses> {
  const registry = registryAt(options.registryAddress);
  const registryAddress = registry.address;
  const [governanceAddress, rollupAddress] = (
    await Promise.all([read(rpc, registry, "getGovernance", []), findRollup(rpc, options)])
  ).map((a) => a.toLowerCase());
  const rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
  const governance = { name: "Governance", address: governanceAddress, abi: governanceAbi };
  const [inboxAddress, outboxAddress, feeJuiceAddress, feeJuicePortalAddress, ...others] = (
    await Promise.all([
      read(rpc, rollup, "getInbox", []),
      read(rpc, rollup, "getOutbox", []),
      read(rpc, rollup, "getFeeAsset", []),
      read(rpc, rollup, "getFeeAssetPortal", []),
      read(rpc, rollup, "getRewardDistributor", []),
      read(rpc, rollup, "getStakingAsset", []),
      read(rpc, rollup, "getGSE", []),
      read(rpc, governance, "governanceProposer", []),
    ])
  ).map((a) => a.toLowerCase());
  const [rewardDistributorAddress, stakingAssetAddress, gseAddress, governanceProposerAddress] = others;
  const feeAsset = { name: "fee asset", address: feeJuiceAddress, abi: feeAssetAbi };
  const coinIssuerAddress = (await read(rpc, feeAsset, "owner", [])).toLowerCase();
  return {
    registryAddress,
    rollupAddress,
    inboxAddress,
    outboxAddress,
    feeJuiceAddress,
    stakingAssetAddress,
    feeJuicePortalAddress,
    coinIssuerAddress,
    rewardDistributorAddress,
    governanceProposerAddress,
    governanceAddress,
    gseAddress,
    ...(await optionalAddresses(rpc, coinIssuerAddress, options.otherAddresses ?? {})),
  };
}
