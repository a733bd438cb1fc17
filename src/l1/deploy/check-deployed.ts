import { parseAbi } from "viem";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import { read } from "../contracts/contract.ts";
import { L1Error } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { PlannedContracts } from "./plan.ts";

const ownedAbi = parseAbi(["function owner() view returns (address)"]);
const versionAbi = parseAbi(["function getVersion() view returns (uint256)"]);

/** The contracts on L1 differ from the plan: another account interfered, or L1 was reorganized. */
class DeploymentCheckError extends L1Error {
  override readonly name = "DeploymentCheckError";
  readonly fatal = true;
}

/**
 * Compares the contracts on L1 with the plan: addresses, version, and ownership by governance. Throws
 * DeploymentCheckError.
 */
export async function checkDeployed(
  rpc: L1Rpc,
  planned: PlannedContracts,
  found: L1ContractAddresses,
  version: number,
): Promise<void> {
  const owner = (name: string, address: string) => read(rpc, { name, address, abi: ownedAbi }, "owner", []);
  const [onChain, ...owners] = await Promise.all([
    read(rpc, { name: "Rollup", address: planned.rollup, abi: versionAbi }, "getVersion", []),
    owner("Rollup", planned.rollup),
    owner("Registry", planned.registry),
    owner("GSE", planned.gse),
    owner("DateGatedRelayer", planned.dateGatedRelayer),
  ]);
  const owned = ["rollup", "registry", "GSE", "date gated relayer"];
  const checks: [what: string, is: string | undefined, wanted: string][] = [
    ["the canonical rollup", found.rollupAddress, planned.rollup],
    ["the rollup version", String(onChain), String(version)],
    ["the fee juice portal", found.feeJuicePortalAddress, planned.feeJuicePortal],
    ["the reward distributor", found.rewardDistributorAddress, planned.rewardDistributor],
    ["the governance proposer", found.governanceProposerAddress, planned.governanceProposer],
    ...owners.map((address, i): [string, string, string] => [
      `the owner of the ${owned[i]}`,
      address.toLowerCase(),
      planned.governance,
    ]),
  ];
  for (const [what, is, wanted] of checks) {
    if (is !== wanted) throw new DeploymentCheckError(`${what} is ${is}, and ${wanted} was deployed`);
  }
}
