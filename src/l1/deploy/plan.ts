import { fromHex } from "../../protocol/bytes.ts";
import type { RollupGenesis } from "../rollup-version.ts";
import { ROLLUP_LIBRARIES, readArtifact } from "./artifacts.ts";
import { governanceConfig, MAINNET_CHAIN_ID } from "./governance-config.ts";
import { type DeploymentParameters, governanceProposerQuorum, hasSlasher } from "./parameters.ts";
import { CHECKPOINT_REWARD, rollupConfig } from "./rollup-config.ts";
import { create2Address, create2Step, createdAddress, creation, type Step, StepList } from "./step.ts";

export const DEVELOPMENT_CHAIN_ID = 31_337;
const SEPOLIA_CHAIN_ID = 11_155_111;

const ZERO_ADDRESS = `0x${"00".repeat(20)}`;
const TOKEN = 10n ** 18n;
/** Unix seconds: the start of 2027. */
const RELAYED_FROM = 1_798_761_600n;
const REWARDED_CHECKPOINTS = 200_000n;
const REWARDS_LOCKED_SECONDS = 90 * 86_400;
/** ZKPassport's verifier on Sepolia. */
const SEPOLIA_PASSPORT_VERIFIER = "0x3101bad9ea5facada5554844a1a88f7fe48d4de0";
/** Account that may claim stake from the faucet without a passport. */
const UNHINGED_CLAIMANT = "0x3b218d0f26d15b36c715cb06c949210a0d630637";

/** Inputs of a plan in addition to the parameters. */
export interface PlanFacts {
  /** Lower-case 0x. Pays for all steps and owns all contracts until the handover. */
  deployer: string;
  /** Nonce of the first step. */
  nonce: number;
  chainId: number;
  /** Timestamp of the latest L1 block, in seconds. */
  timestamp: number;
  /** Libraries already deployed at their CREATE2 address; undefined if L1 has no CREATE2_DEPLOYER. */
  deployedLibraries: ReadonlySet<string> | undefined;
  /** Network whose governance parameters are used. */
  network: string;
  genesis: RollupGenesis;
  /** Amount of the fee asset that backs the L2 balances of genesis, in wei. */
  portalFunding: bigint;
  realVerifier: boolean;
  /** ERC-20 used as staking and fee asset instead of test tokens; lower-case 0x. */
  existingToken: string | undefined;
  zkPassport: { domain: string; scope: string };
}

/** Addresses of the contracts that a plan creates, lower-case. */
export interface PlannedContracts {
  feeAsset: string;
  stakingAsset: string;
  coinIssuer: string;
  gse: string;
  registry: string;
  rewardDistributor: string;
  governanceProposer: string;
  governance: string;
  dateGatedRelayer: string;
  feeAssetHandler: string | undefined;
  zkPassportVerifier: string | undefined;
  stakingAssetHandler: string | undefined;
  verifier: string;
  rollup: string;
  feeJuicePortal: string;
  slashFactory: string;
}

interface DeploymentPlan {
  contracts: PlannedContracts;
  rollupVersion: number;
  steps: Step[];
}

/** Creation code and CREATE2 address of each library of the rollup. They are the same on every chain. */
export function rollupLibraries(): { name: string; creationCode: Uint8Array; address: string }[] {
  return ROLLUP_LIBRARIES.map((name) => {
    const creationCode = creation(readArtifact(name), [], new Map());
    return { name, creationCode, address: create2Address(creationCode) };
  });
}

/**
 * Address of the fee juice portal, which the inbox creates. The rollup's constructor creates the slasher with its
 * proposer (if any) and the reward booster before the inbox, which determines the inbox's nonce.
 */
function portalOf(rollup: string, p: DeploymentParameters): string {
  const inbox = createdAddress(rollup, hasSlasher(p) ? 4 : 2);
  return createdAddress(inbox, 1);
}

/** Addresses of the rollup's libraries: CREATE2 addresses, or ordinary ones if L1 has no CREATE2_DEPLOYER. */
function planLibraries(list: StepList, { deployedLibraries }: PlanFacts): Map<string, Uint8Array> {
  const addresses = new Map<string, Uint8Array>();
  for (const { name, creationCode, address } of rollupLibraries()) {
    addresses.set(name, fromHex(deployedLibraries ? address : list.nextAddress()));
    if (deployedLibraries?.has(name)) continue;
    list.add(
      deployedLibraries
        ? create2Step(name, creationCode)
        : { name: `deploy ${name}`, to: undefined, data: creationCode, value: 0n },
    );
  }
  return addresses;
}

function testAssets(list: StepList, deployer: string): { stakingAsset: string; feeAsset: string } {
  const stakingAsset = list.deploy("TestERC20", ["Staking", "STK", deployer], undefined, "the staking asset");
  const feeAsset = list.deploy("TestERC20", ["FeeJuice", "FEE", deployer], undefined, "the fee asset");
  list.call("TestERC20", feeAsset, "mint", [deployer, TOKEN], "mint the first fee asset");
  return { stakingAsset, feeAsset };
}

function stakingFaucet(
  list: StepList,
  facts: PlanFacts,
  c: { stakingAsset: string; registry: string },
): { zkPassportVerifier: string | undefined; stakingAssetHandler: string } {
  const development = facts.chainId === DEVELOPMENT_CHAIN_ID;
  const zkPassportVerifier = development ? list.deploy("MockZKPassportVerifier", []) : undefined;
  const args = {
    owner: facts.deployer,
    stakingAsset: c.stakingAsset,
    registry: c.registry,
    faucetAmount: 1_000_000n * TOKEN,
    zkPassportVerifier: zkPassportVerifier ?? SEPOLIA_PASSPORT_VERIFIER,
    unhinged: [UNHINGED_CLAIMANT],
    domain: facts.zkPassport.domain,
    scope: facts.zkPassport.scope,
    skipBindCheck: development,
  };
  const stakingAssetHandler = list.deploy("StakingAssetHandler", [args]);
  const funding = 100_000_000_000n * TOKEN;
  list.call("TestERC20", c.stakingAsset, "mint", [stakingAssetHandler, funding], "fund the staking asset handler");
  return { zkPassportVerifier, stakingAssetHandler };
}

/**
 * The transactions until the rollup is registered (docs/protocol/04-l1-contracts.md#432-deployment-steps, steps 1 to
 * 13), in the reference's order.
 */
export function planContracts(p: DeploymentParameters, facts: PlanFacts): DeploymentPlan {
  const { deployer, chainId, existingToken } = facts;
  const list = new StepList(deployer, facts.nonce);
  const libraries = planLibraries(list, facts);
  const { stakingAsset, feeAsset } = existingToken
    ? { stakingAsset: existingToken, feeAsset: existingToken }
    : testAssets(list, deployer);
  const coinIssuer = list.deploy("CoinIssuer", [feeAsset, TOKEN / 5n, deployer]);
  const gse = list.deploy("GSE", [deployer, stakingAsset, p.activationThreshold, p.ejectionThreshold]);
  const registry = list.deploy("Registry", [deployer, feeAsset]);
  const rewardDistributor = createdAddress(registry, 1);
  const quorum = BigInt(governanceProposerQuorum(p));
  const proposerArgs = [registry, gse, quorum, BigInt(p.governanceProposerRoundSize)];
  const governanceProposer = list.deploy("GovernanceProposer", proposerArgs);
  const configuration = governanceConfig(facts.network, chainId, p.governanceVotingDuration);
  const governance = list.deploy("Governance", [stakingAsset, governanceProposer, ZERO_ADDRESS, configuration]);
  list.call("GSE", gse, "setGovernance", [governance], "set the governance of the GSE");
  const dateGatedRelayer = list.deploy("DateGatedRelayer", [governance, RELAYED_FROM]);

  let feeAssetHandler: string | undefined;
  let faucet: ReturnType<typeof stakingFaucet> | undefined;
  if (!existingToken) {
    feeAssetHandler = list.deploy("FeeAssetHandler", [deployer, feeAsset, 1000n * TOKEN]);
    list.call("TestERC20", feeAsset, "addMinter", [feeAssetHandler], "let the fee asset handler mint");
    if (chainId === DEVELOPMENT_CHAIN_ID || chainId === SEPOLIA_CHAIN_ID)
      faucet = stakingFaucet(list, facts, { stakingAsset, registry });
    const rewards = CHECKPOINT_REWARD * REWARDED_CHECKPOINTS;
    list.call("TestERC20", feeAsset, "mint", [rewardDistributor, rewards], "fund the reward distributor");
  }

  const verifier = list.deploy(facts.realVerifier ? "HonkVerifier" : "MockVerifier", []);
  const claimableAt = chainId === MAINNET_CHAIN_ID ? facts.timestamp + REWARDS_LOCKED_SECONDS : 0;
  const config = rollupConfig(p, facts.genesis, rewardDistributor, claimableAt);
  const rollupArgs = [feeAsset, stakingAsset, gse, verifier, deployer, facts.genesis, config];
  const rollup = list.deploy("Rollup", rollupArgs, libraries);
  const slashFactory = list.deploy("SlashFactory", [rollup]);
  const feeJuicePortal = portalOf(rollup, p);
  if (facts.portalFunding > 0n && !existingToken)
    list.call("TestERC20", feeAsset, "mint", [feeJuicePortal, facts.portalFunding], "fund the fee juice portal");
  list.call("Registry", registry, "addRollup", [rollup], "add the rollup to the registry");
  list.call("GSE", gse, "addRollup", [rollup], "add the rollup to the GSE");

  const contracts = {
    ...{ feeAsset, stakingAsset, coinIssuer, gse, registry, rewardDistributor, governanceProposer, governance },
    ...{ dateGatedRelayer, feeAssetHandler, verifier, rollup, feeJuicePortal, slashFactory },
    zkPassportVerifier: faucet?.zkPassportVerifier,
    stakingAssetHandler: faucet?.stakingAssetHandler,
  };
  return { contracts, rollupVersion: config.version, steps: list.steps };
}

/** The transactions that transfer ownership of all contracts to governance (steps 14 and 15). */
export function planHandover(deployer: string, nonce: number, c: PlannedContracts, ownsAssets: boolean): Step[] {
  const list = new StepList(deployer, nonce);
  list.call("Rollup", c.rollup, "transferOwnership", [c.governance], "hand the rollup to governance");
  list.call("Registry", c.registry, "transferOwnership", [c.governance], "hand the registry to governance");
  list.call("GSE", c.gse, "transferOwnership", [c.governance], "hand the GSE to governance");
  if (ownsAssets) {
    list.call("TestERC20", c.feeAsset, "transferOwnership", [c.coinIssuer], "hand the fee asset to the coin issuer");
    list.call("CoinIssuer", c.coinIssuer, "acceptTokenOwnership", [], "accept the fee asset");
    list.call("CoinIssuer", c.coinIssuer, "transferOwnership", [c.dateGatedRelayer], "hand the coin issuer over");
  }
  return list.steps;
}
