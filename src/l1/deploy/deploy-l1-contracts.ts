import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { type Logger, silentLogger } from "../../telemetry/logger.ts";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import { discoverContracts } from "../rollup/discovery.ts";
import { block } from "../rpc/answers.ts";
import { L1Rpc } from "../rpc/l1-rpc.ts";
import type { L1Block } from "../types.ts";
import { checkDeployed } from "./check-deployed.ts";
import type { Deployer } from "./deployer.ts";
import { isDevelopmentChain, leaveFirstSlot, minesAtOnce, setBlockInterval } from "./development-chain.ts";
import { DeploymentParameterError } from "./errors.ts";
import { hasCode, nextNonce } from "./l1-account-state.ts";
import { deployMulticall3 } from "./multicall3.ts";
import { checkParameters, type DeploymentParameters } from "./parameters.ts";
import { type PlanFacts, planContracts, planHandover, rollupLibraries } from "./plan.ts";
import { rollupGenesis } from "./rollup-config.ts";
import { type SendOptions, StepSender } from "./send-steps.ts";
import { CREATE2_DEPLOYER } from "./step.ts";
import { addValidators, type InitialValidator } from "./validators.ts";

export interface DeployOptions {
  /** Tried in order for every call. */
  l1RpcUrls: readonly string[];
  l1ChainId: number;
  deployer: Deployer;
  parameters: DeploymentParameters;
  /** What the rollup's circuits are of. */
  contracts: ContractRules;
  /** 32 bytes; depends on the L2 accounts funded in genesis. */
  genesisArchiveRoot: Uint8Array;
  /** Amount of the fee asset that backs the L2 balances of genesis, in wei; 0n for none. */
  feeJuicePortalFunding: bigint;
  /** Block interval to set on a development chain, in seconds. */
  ethereumSlotDuration: number;
  /** Network whose governance parameters are used; unset means those of a test network. */
  network?: string;
  validators?: readonly InitialValidator[];
  /** Deploy the verifier that checks proofs, not the mock; default false. */
  realVerifier?: boolean;
  /** ERC-20 used as staking and fee asset instead of new test tokens; 0x text. */
  existingToken?: string;
  zkPassport?: { domain: string; scope: string };
  /** Timeout for a transaction to be mined, in milliseconds. */
  miningTimeoutMs?: number;
  onProgress?: (progress: DeploymentProgress) => void;
  logger?: Logger;
}

export interface DeploymentProgress {
  /** Steps that L1 has mined. */
  done: number;
  /** Steps known so far. */
  total: number;
  /** The step that was mined last. */
  step: string;
}

export interface DeployedContracts {
  addresses: L1ContractAddresses;
  /** Lower-case 0x. */
  verifierAddress: string;
  rollupVersion: number;
  /** L1 block at the end of the deployment. */
  l1Block: L1Block;
  /** Validators still in the entry queue, to be admitted in later epochs. */
  queuedValidators: number;
}

const DEFAULT_ZK_PASSPORT = { domain: "sequencer.alpha-testnet.aztec.network", scope: "personhood" };
const DEFAULT_MINING_TIMEOUT_MS = 300_000;

function checkOptions({ parameters, genesisArchiveRoot, validators = [], existingToken }: DeployOptions): void {
  checkParameters(parameters);
  if (genesisArchiveRoot.length !== 32)
    throw new DeploymentParameterError("genesisArchiveRoot", `must be 32 bytes, is ${genesisArchiveRoot.length}`);
  if (validators.length > 0 && existingToken !== undefined)
    throw new DeploymentParameterError(
      "validators",
      "cannot be given with an existing token: nobody mints their stake",
    );
  const seen = new Set<string>();
  for (const { attester } of validators) {
    if (seen.has(attester)) throw new DeploymentParameterError("validators", `must differ, ${attester} is there twice`);
    seen.add(attester);
  }
}

async function latestBlock(rpc: L1Rpc): Promise<L1Block> {
  const parse = (value: unknown) => block(value);
  const latest = await rpc.request({ method: "eth_getBlockByNumber", params: ["latest", false], parse });
  if (!latest) throw new DeploymentParameterError("l1RpcUrls", "must lead to a chain with a block");
  return { number: latest.number, hash: latest.hash, timestamp: latest.timestamp };
}

async function librariesThere(rpc: L1Rpc): Promise<ReadonlySet<string> | undefined> {
  const libraries = rollupLibraries();
  const [byAnyone, ...there] = await Promise.all(
    [CREATE2_DEPLOYER, ...libraries.map(({ address }) => address)].map((address) => hasCode(rpc, address)),
  );
  return byAnyone ? new Set(libraries.filter((_, i) => there[i]).map(({ name }) => name)) : undefined;
}

/**
 * Deploys the contracts of a new network and transfers their ownership to its governance
 * (docs/protocol/04-l1-contracts.md#432-deployment-steps). On a fresh development chain the result is deterministic:
 * the same deployer and parameters give the same addresses. Throws DeploymentParameterError before anything is sent,
 * L1Error, DeployerFundsError, and DeploymentStepError for a transaction that fails.
 *
 * @example const { addresses, rollupVersion } = await deployL1Contracts({
 *   l1RpcUrls: ["http://127.0.0.1:8545"], l1ChainId: 31337, ethereumSlotDuration: 12,
 *   deployer: deployerFromMnemonic("test test test test test test test test test test test junk", 0),
 *   parameters, contracts, genesisArchiveRoot, feeJuicePortalFunding: 50_000n * 10n ** 18n,
 * });
 */
export async function deployL1Contracts(options: DeployOptions, signal?: AbortSignal): Promise<DeployedContracts> {
  checkOptions(options);
  const { l1RpcUrls, l1ChainId, deployer, parameters, validators = [], logger = silentLogger } = options;
  const rpc = new L1Rpc({ urls: l1RpcUrls, signal, logger });
  const rpcOnce = new L1Rpc({ urls: l1RpcUrls, chainId: l1ChainId, retryDelaysMs: [], signal, logger });
  await rpc.checkChain(l1ChainId);
  const development = isDevelopmentChain(l1ChainId);

  let done = 0;
  let total = 0;
  const sending: SendOptions = {
    rpc,
    rpcOnce,
    deployer,
    chainId: l1ChainId,
    automines: await minesAtOnce(rpc),
    miningTimeoutMs: options.miningTimeoutMs ?? DEFAULT_MINING_TIMEOUT_MS,
    onMined: ({ name }) => {
      done++;
      total = Math.max(total, done);
      options.onProgress?.({ done, total, step: name });
    },
    signal,
  };
  await deployMulticall3(sending);
  if (development) await setBlockInterval(rpc, options.ethereumSlotDuration);

  const [nonce, { timestamp }, deployedLibraries] = await Promise.all([
    nextNonce(rpc, deployer.address),
    latestBlock(rpc),
    librariesThere(rpc),
  ]);
  const existingToken = options.existingToken?.toLowerCase();
  if (existingToken !== undefined && !(await hasCode(rpc, existingToken)))
    throw new DeploymentParameterError("existingToken", `must be a contract, ${existingToken} has no code`);
  const facts: PlanFacts = {
    deployer: deployer.address,
    nonce,
    chainId: l1ChainId,
    timestamp,
    deployedLibraries,
    network: options.network ?? "local",
    genesis: rollupGenesis(options.contracts, options.genesisArchiveRoot),
    portalFunding: options.feeJuicePortalFunding,
    realVerifier: options.realVerifier ?? false,
    existingToken,
    zkPassport: options.zkPassport ?? DEFAULT_ZK_PASSPORT,
  };
  const { contracts, rollupVersion, steps } = planContracts(parameters, facts);
  const handover = planHandover(deployer.address, nonce + steps.length, contracts, existingToken === undefined);
  total = done + steps.length + handover.length;

  let queuedValidators = 0;
  if (validators.length === 0) {
    await new StepSender([...steps, ...handover], nonce, sending).run();
  } else {
    await new StepSender(steps, nonce, sending).run();
    queuedValidators = await addValidators(validators, contracts, parameters.activationThreshold, sending);
    await new StepSender(handover, await nextNonce(rpc, deployer.address), sending).run();
  }
  if (development) await leaveFirstSlot(rpc, contracts.rollup);

  const addresses = await discoverContracts(rpc, {
    registryAddress: contracts.registry,
    otherAddresses: {
      slashFactoryAddress: contracts.slashFactory,
      feeAssetHandlerAddress: contracts.feeAssetHandler,
      stakingAssetHandlerAddress: contracts.stakingAssetHandler,
      zkPassportVerifierAddress: contracts.zkPassportVerifier,
      dateGatedRelayerAddress: contracts.dateGatedRelayer,
    },
  });
  await checkDeployed(rpc, contracts, addresses, rollupVersion);
  return {
    addresses,
    verifierAddress: contracts.verifier,
    rollupVersion,
    l1Block: await latestBlock(rpc),
    queuedValidators,
  };
}
