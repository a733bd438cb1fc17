import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { parseAbi } from "viem";
import { afterEach, describe, expect, test } from "vitest";
import { read } from "../../../src/l1/contracts/contract.ts";
import { type DeployedContracts, deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { deployerFromKey, deployerFromMnemonic } from "../../../src/l1/deploy/deployer.ts";
import { DeployerFundsError, DeploymentParameterError, DeploymentStepError } from "../../../src/l1/deploy/errors.ts";
import { WrongChainError } from "../../../src/l1/errors.ts";
import { L1Rpc } from "../../../src/l1/rpc/l1-rpc.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type Anvil, startAnvil } from "../../world/l1/chain-a.ts";
import { localNetwork, TEST_MNEMONIC } from "../../world/l1/deployed-network.ts";
import { l1Vectors } from "../../world/l1/vectors.ts";

let anvil: Anvil | undefined;
afterEach(async () => {
  await anvil?.stop();
  anvil = undefined;
});

async function freshChain(args: string[] = []): Promise<string> {
  anvil = await startAnvil(args);
  return anvil.url;
}

const rpcTo = (url: string) => new L1Rpc({ urls: [url], logger: silentLogger });

const SLOT_ABI = parseAbi(["function getCurrentSlot() view returns (uint256)"]);
const GOVERNANCE_ABI = parseAbi([
  "struct ProposeConfig { uint256 lockDelay; uint256 lockAmount; }",
  "struct GovernanceConfig { ProposeConfig proposeConfig; uint256 votingDelay; uint256 votingDuration; uint256 executionDelay; uint256 gracePeriod; uint256 quorum; uint256 requiredYeaMargin; uint256 minimumVotes; }",
  "function getConfiguration() view returns (GovernanceConfig)",
]);
const ROLLUP_ABI = parseAbi([
  "function getSlotDuration() view returns (uint256)",
  "function getEpochDuration() view returns (uint256)",
  "function getTargetCommitteeSize() view returns (uint256)",
  "function getProofSubmissionEpochs() view returns (uint256)",
  "function getManaTarget() view returns (uint256)",
  "function getProvingCostPerManaInEth() view returns (uint256)",
  "function getEthPerFeeAsset() view returns (uint256)",
  "function getActivationThreshold() view returns (uint256)",
  "function getEjectionThreshold() view returns (uint256)",
  "function getLocalEjectionThreshold() view returns (uint256)",
  "function getExitDelay() view returns (uint256)",
  "function getLagInEpochsForValidatorSet() view returns (uint256)",
  "function getLagInEpochsForRandao() view returns (uint256)",
  "function getSlasher() view returns (address)",
  "function getActiveAttesterCount() view returns (uint256)",
  "function getAttesterAtIndex(uint256) view returns (address)",
]);
const TOKEN_ABI = parseAbi(["function balanceOf(address) view returns (uint256)"]);

function rollupOf(url: string, { addresses }: DeployedContracts) {
  const contract = { name: "Rollup", address: addresses.rollupAddress, abi: ROLLUP_ABI };
  return (name: Exclude<(typeof ROLLUP_ABI)[number]["name"], "getAttesterAtIndex">) =>
    read(rpcTo(url), contract, name, []);
}

interface RecordedAccount {
  code: string;
}

describe("the local network of the reference", () => {
  test("a deployment on a fresh development chain has the reference's addresses, version and code", async () => {
    const url = await freshChain();
    const steps: number[] = [];
    const deployed = await deployL1Contracts({
      ...localNetwork(url),
      onProgress: ({ done, total }) => steps.push(total - done),
    });
    expect(deployed.rollupVersion).toBe(344372055);
    expect(deployed.addresses).toEqual({
      registryAddress: "0xb7f8bc63bbcad18155201308c8f3540b07f84f5e",
      rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44",
      inboxAddress: "0x6a1b3c7624b69000d7848916fb4f42026409586c",
      outboxAddress: "0x2925ce379bca1f75f94b31af463ad05fad7050aa",
      feeJuiceAddress: "0xa513e6e4b8f2a923d98304ec87f64353c4d5c853",
      feeJuicePortalAddress: "0x846005fdb8e3f125749df47d36b2c826029e5364",
      feeAssetHandlerAddress: "0x959922be3caee4b8cd9a407cc3ac1c251c2007b1",
      stakingAssetAddress: "0x0165878a594ca255338adfa4d48449f69242eb8f",
      stakingAssetHandlerAddress: "0x3aa5ebb10dc797cac828524e59a333d0a371443c",
      coinIssuerAddress: "0x8a791620dd6260079bf849dc5567adc3f2fdc318",
      rewardDistributorAddress: "0x8daf17a20c9dba35f005b6324f493785d239719d",
      governanceAddress: "0x0dcd1bf9a1b36ce34237eeafef220932846bcd82",
      governanceProposerAddress: "0xa51c1fc2f0d1a1b8494ed1fe312d7c3a78ed91c0",
      gseAddress: "0x610178da211fef7d417bc0e6fed39f05609ad788",
      slashFactoryAddress: "0xa85233c63b9ee964add6f2cffe00fd84eb32338f",
      dateGatedRelayerAddress: "0x0b306bf915c4d645ff596e518faf3f9669b97016",
      zkPassportVerifierAddress: "0x68b1d87f95878fe05b998f19b66f4baba5de1aed",
    });
    expect(steps.at(-1)).toBe(0);

    const rpc = rpcTo(url);
    const code = (address: string) =>
      rpc.request({ method: "eth_getCode", params: [address, "latest"], parse: (value) => String(value) });
    const state = gunzipSync(readFileSync(new URL("../../fixtures/chain-a/l1-state.json.gz", import.meta.url)));
    const { accounts }: { accounts: Record<string, RecordedAccount> } = JSON.parse(state.toString("utf8"));
    const contracts = Object.entries(accounts).filter(([, account]) => account.code !== "0x");
    expect(contracts.length).toBeGreaterThan(25);
    const differing: string[] = [];
    for (const [address, account] of contracts) if ((await code(address)) !== account.code) differing.push(address);
    // The code of these contains the time or the block of their deployment.
    const { coinIssuerAddress, rollupAddress } = deployed.addresses;
    const timed = [coinIssuerAddress, rollupAddress];
    expect(differing.filter((address) => !timed.includes(address))).toEqual([]);
    for (const address of timed) expect(await code(address)).toHaveLength(accounts[address].code.length);

    const feeAsset = { name: "fee asset", address: deployed.addresses.feeJuiceAddress, abi: TOKEN_ABI };
    const portal = deployed.addresses.feeJuicePortalAddress as `0x${string}`;
    expect(await read(rpc, feeAsset, "balanceOf", [portal])).toBe(50_000n * 10n ** 18n);
    const rollup = { name: "Rollup", address: rollupAddress, abi: SLOT_ABI };
    expect(await read(rpc, rollup, "getCurrentSlot", [])).toBeGreaterThan(0n);
  });

  test("a deployment on a chain with a block interval does not wait for each transaction separately", async () => {
    const url = await freshChain(["--block-time", "1"]);
    const { addresses, rollupVersion, l1Block } = await deployL1Contracts(localNetwork(url));
    expect(rollupVersion).toBe(344372055);
    expect(addresses.rollupAddress).toBe("0x322813fd9a801c5507c9de605d63cea4f2ce6c44");
    expect(l1Block.number).toBeLessThan(20);
  });

  test("a second deployment reuses the libraries and has its own addresses", async () => {
    const url = await freshChain();
    const first = await deployL1Contracts(localNetwork(url));
    const steps: string[] = [];
    const second = await deployL1Contracts({ ...localNetwork(url), onProgress: ({ step }) => steps.push(step) });
    expect(steps.filter((step) => /Lib$|Multicall3/.test(step))).toEqual([]);
    expect(second.addresses.registryAddress).not.toBe(first.addresses.registryAddress);
    expect(second.rollupVersion).not.toBe(first.rollupVersion);
  });
});

test("governance on chain 1 executes proposals after 30 days, as on mainnet", async () => {
  const url = await freshChain(["--chain-id", "1"]);
  const { addresses } = await deployL1Contracts({ ...localNetwork(url), l1ChainId: 1 });
  const governance = { name: "Governance", address: addresses.governanceAddress, abi: GOVERNANCE_ABI };
  const { executionDelay, votingDelay, votingDuration, proposeConfig } = await read(
    rpcTo(url),
    governance,
    "getConfiguration",
    [],
  );
  expect([executionDelay, votingDelay, votingDuration, proposeConfig.lockDelay].map((s) => Number(s) / 86400)).toEqual([
    30, 3, 7, 90,
  ]);
});

test("the deployment options reach the contracts", async () => {
  const url = await freshChain();
  const deployed = await deployL1Contracts(
    localNetwork(url, {
      AZTEC_SLOT_DURATION: "36",
      AZTEC_EPOCH_DURATION: "8",
      AZTEC_PROOF_SUBMISSION_EPOCHS: "3",
      AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "4",
      AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "3",
      AZTEC_MANA_TARGET: "75000000",
      AZTEC_PROVING_COST_PER_MANA: "250",
      AZTEC_INITIAL_ETH_PER_FEE_ASSET: "20000000",
      AZTEC_ACTIVATION_THRESHOLD: "2e23",
      AZTEC_EJECTION_THRESHOLD: "1e23",
      AZTEC_LOCAL_EJECTION_THRESHOLD: "1.9e23",
      AZTEC_EXIT_DELAY_SECONDS: "345600",
    }),
  );
  const value = rollupOf(url, deployed);
  expect(await value("getSlotDuration")).toBe(36n);
  expect(await value("getEpochDuration")).toBe(8n);
  expect(await value("getTargetCommitteeSize")).toBe(0n);
  expect(await value("getProofSubmissionEpochs")).toBe(3n);
  expect(await value("getLagInEpochsForValidatorSet")).toBe(4n);
  expect(await value("getLagInEpochsForRandao")).toBe(3n);
  expect(await value("getManaTarget")).toBe(75_000_000n);
  expect(await value("getProvingCostPerManaInEth")).toBe(250n);
  expect(await value("getEthPerFeeAsset")).toBe(20_000_000n);
  expect(await value("getActivationThreshold")).toBe(2n * 10n ** 23n);
  expect(await value("getEjectionThreshold")).toBe(10n ** 23n);
  expect(await value("getLocalEjectionThreshold")).toBe(19n * 10n ** 22n);
  expect(await value("getExitDelay")).toBe(345_600n);
});

describe("a network with a committee", () => {
  const validators = l1Vectors.scenario.validators.map(({ address, blsSecretKey }) => ({
    attester: address.toLowerCase(),
    withdrawer: address.toLowerCase(),
    blsSecretKey: BigInt(blsSecretKey),
  }));

  test.each(["tally", "empire"])(
    "a network with a committee has its validators and a slasher of flavour %s",
    async (flavor) => {
      const url = await freshChain();
      const request = localNetwork(url, {
        AZTEC_TARGET_COMMITTEE_SIZE: "6",
        AZTEC_SLASHER_FLAVOR: flavor,
        AZTEC_EPOCH_DURATION: "4",
      });
      const deployed = await deployL1Contracts({ ...request, validators });
      const value = rollupOf(url, deployed);
      expect(deployed.queuedValidators).toBe(0);
      expect(await value("getTargetCommitteeSize")).toBe(6n);
      expect(await value("getActiveAttesterCount")).toBe(BigInt(validators.length));
      expect(await value("getSlasher")).not.toBe(`0x${"00".repeat(20)}`);
      const rollup = { name: "Rollup", address: deployed.addresses.rollupAddress, abi: ROLLUP_ABI };
      const first = await read(rpcTo(url), rollup, "getAttesterAtIndex", [0n]);
      expect(first.toLowerCase()).toBe(validators[0].attester);
    },
  );

  test("a network admits as many validators as its first epoch allows, and queues the rest", async () => {
    const url = await freshChain();
    const request = localNetwork(url, {
      AZTEC_TARGET_COMMITTEE_SIZE: "6",
      AZTEC_ENTRY_QUEUE_FLUSH_SIZE_MIN: "5",
      AZTEC_ENTRY_QUEUE_MAX_FLUSH_SIZE: "5",
    });
    const deployed = await deployL1Contracts({ ...request, validators });
    expect(await rollupOf(url, deployed)("getActiveAttesterCount")).toBe(5n);
    expect(deployed.queuedValidators).toBe(validators.length - 5);
  });
});

describe("refused deployments", () => {
  const nowhere = "http://127.0.0.1:1";

  test.each([
    [{ AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "3" }, "lagInEpochsForRandao must not be above lagInEpochsForValidatorSet"],
    [{ AZTEC_INBOX_LAG: "0" }, "inboxLag must be at least 1"],
    [{ AZTEC_MANA_TARGET: "2147483648" }, "manaTarget must be below 2147483648"],
    [{ AZTEC_INITIAL_ETH_PER_FEE_ASSET: "99" }, "initialEthPerFeeAsset must be from 100"],
    [
      { AZTEC_TARGET_COMMITTEE_SIZE: "3", AZTEC_SLASHER_FLAVOR: "tally", AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS: "3" },
      "slashingRoundSizeInEpochs times aztecTargetCommitteeSize must be a multiple of 4 of at most 512; is 9",
    ],
    [
      { AZTEC_TARGET_COMMITTEE_SIZE: "4", AZTEC_SLASHER_FLAVOR: "tally", AZTEC_SLASHING_QUORUM: "9" },
      "slashingQuorum must be above 4 and at most 8",
    ],
  ])("a deployment with %j is refused with the rule", async (variables: Record<string, string>, message) => {
    const attempt = deployL1Contracts(localNetwork(nowhere, variables));
    await expect(attempt).rejects.toThrow(DeploymentParameterError);
    await expect(attempt).rejects.toThrow(message);
  });

  test("a deployment with a duplicate validator, or with validators and an existing token, is refused", async () => {
    const one = { attester: `0x${"11".repeat(20)}`, withdrawer: `0x${"11".repeat(20)}`, blsSecretKey: 1n };
    const request = localNetwork(nowhere);
    await expect(deployL1Contracts({ ...request, validators: [one, one] })).rejects.toThrow("there twice");
    const withToken = { ...request, validators: [one], existingToken: `0x${"22".repeat(20)}` };
    await expect(deployL1Contracts(withToken)).rejects.toThrow("cannot be given with an existing token");
  });

  test("an invalid private key or mnemonic is refused without repeating it", () => {
    expect(() => deployerFromKey("12345678abcdef")).toThrow(/^privateKey must be 64 hex digits/);
    expect(() => deployerFromKey("f".repeat(64))).toThrow(/^privateKey must be 64 hex digits/);
    expect(() => deployerFromMnemonic(`${TEST_MNEMONIC} junk`, 0)).toThrow(/^mnemonic must be 12 to 24 words[^t]*/);
    expect(() => deployerFromMnemonic(TEST_MNEMONIC, -1)).toThrow(/^mnemonicIndex must be/);
  });

  test("a revert of a contract is found before its transaction is sent, and its error is named", async () => {
    const url = await freshChain();
    const request = localNetwork(url, { AZTEC_GOVERNANCE_PROPOSER_QUORUM: "100" });
    const attempt = deployL1Contracts(request);
    await expect(attempt).rejects.toThrow(DeploymentStepError);
    await expect(attempt).rejects.toMatchObject({ step: "deploy GovernanceProposer", rehearsed: true });
    await expect(attempt).rejects.toThrow(/reverted with EmpireBase__InvalidQuorumAndRoundSize\(100, 300\)/);
    const { nonce } = await nonceOf(url, request.deployer.address);
    // Only the transaction that funds Multicall3 was sent.
    expect(nonce).toBe(1);
  });

  test("a deployment from an account without ETH is refused", async () => {
    const url = await freshChain();
    const request = { ...localNetwork(url), deployer: deployerFromKey("11".repeat(32)) };
    await expect(deployL1Contracts(request)).rejects.toThrow(DeployerFundsError);
  });

  test("a deployment to another chain, or with a token without code, is refused", async () => {
    const url = await freshChain();
    await expect(deployL1Contracts({ ...localNetwork(url), l1ChainId: 1 })).rejects.toThrow(WrongChainError);
    const withToken = { ...localNetwork(url), existingToken: `0x${"22".repeat(20)}` };
    await expect(deployL1Contracts(withToken)).rejects.toThrow("existingToken must be a contract");
  });
});

async function nonceOf(url: string, address: string): Promise<{ nonce: number }> {
  const params = [address, "latest"];
  const parse = (value: unknown) => ({ nonce: Number(value) });
  return rpcTo(url).request({ method: "eth_getTransactionCount", params, parse });
}
