import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Values } from "../config/options.ts";
import type { L1ContractAddresses } from "../l1/contract-addresses.ts";
import { type DeploymentProgress, deployL1Contracts } from "../l1/deploy/deploy-l1-contracts.ts";
import { deployerFromMnemonic } from "../l1/deploy/deployer.ts";
import { toHex } from "../protocol/bytes.ts";
import { INITIAL_FEE_JUICE } from "../protocol/constants.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { makeFolder } from "../storage/make-folder.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { DevelopmentL1 } from "./development-l1.ts";

/** What is stored of a deployment, next to the node's own data. */
interface NetworkContracts {
  /** 0x text. */
  genesisArchiveRoot: string;
  addresses: L1ContractAddresses;
}

interface ContractsOptions {
  l1: DevelopmentL1;
  values: Values;
  mnemonic: string;
  generation: Generation;
  genesisArchiveRoot: Uint8Array;
  /** Number of L2 addresses that genesis funds with fee juice. */
  fundedAddresses: number;
  /** File that stores the deployment; undefined: it is not stored. */
  file: string | undefined;
  onProgress: (progress: DeploymentProgress) => void;
  logger: Logger;
  signal: AbortSignal;
}

/** The contracts of an earlier start, if they are still on L1 and were deployed for this genesis. */
async function kept({ file, genesisArchiveRoot, l1 }: ContractsOptions): Promise<NetworkContracts | undefined> {
  if (file === undefined || !existsSync(file)) return undefined;
  const contracts = JSON.parse(readFileSync(file, "utf8")) as NetworkContracts;
  if (contracts.genesisArchiveRoot !== toHex(genesisArchiveRoot)) return undefined;
  return (await l1.hasCode(contracts.addresses.rollupAddress)) ? contracts : undefined;
}

function keep(file: string, contracts: NetworkContracts): void {
  makeFolder(dirname(file));
  writeFileSync(`${file}.part`, `${JSON.stringify(contracts, undefined, 2)}\n`);
  renameSync(`${file}.part`, file);
}

/**
 * The contracts of a local network: those of its last start, or newly deployed ones
 * (docs/protocol/08-building-and-checkpoints.md#828-local-network). Throws as deployL1Contracts does.
 */
export async function networkContracts(options: ContractsOptions): Promise<NetworkContracts> {
  const { l1, values, mnemonic, generation, genesisArchiveRoot, fundedAddresses, file, onProgress, logger, signal } =
    options;
  const before = await kept(options);
  if (before !== undefined) {
    await l1.setBlockInterval(values.ethereumSlotDuration);
    return before;
  }
  const { addresses } = await deployL1Contracts(
    {
      l1RpcUrls: [l1.url],
      l1ChainId: values.l1ChainId,
      deployer: deployerFromMnemonic(mnemonic, 0),
      parameters: values,
      contracts: generation.contracts,
      genesisArchiveRoot,
      feeJuicePortalFunding: INITIAL_FEE_JUICE * BigInt(fundedAddresses),
      ethereumSlotDuration: values.ethereumSlotDuration,
      onProgress,
      logger,
    },
    signal,
  );
  const contracts = { genesisArchiveRoot: toHex(genesisArchiveRoot), addresses };
  if (file !== undefined) keep(file, contracts);
  return contracts;
}
