import type { DeployedContracts, DeployOptions } from "../../l1/deploy/deploy-l1-contracts.ts";
import { toHex } from "../../protocol/bytes.ts";

/** Content of the output file and of the JSON report: a flat object, addresses first. */
export function deployFacts(request: DeployOptions, deployed: DeployedContracts): Record<string, string | number> {
  const addresses: Record<string, string> = { ...deployed.addresses };
  return {
    ...addresses,
    verifierAddress: deployed.verifierAddress,
    rollupVersion: deployed.rollupVersion,
    l1ChainId: request.l1ChainId,
    l1BlockNumber: deployed.l1Block.number,
    deployerAddress: request.deployer.address,
    genesisArchiveRoot: toHex(request.genesisArchiveRoot),
    validators: request.validators?.length ?? 0,
    queuedValidators: deployed.queuedValidators,
  };
}

export function deployReport(facts: Record<string, string | number>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length));
  return `${Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join("\n")}\n`;
}
