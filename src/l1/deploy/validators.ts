import { parseAbi } from "viem";
import { read } from "../contracts/contract.ts";
import { nextNonce } from "./l1-account-state.ts";
import type { PlannedContracts } from "./plan.ts";
import { type SendOptions, StepSender } from "./send-steps.ts";
import { StepList } from "./step.ts";
import { registeredKeys } from "./validator-keys.ts";

/** A validator that a new network starts with. */
export interface InitialValidator {
  /** Lower-case 0x. */
  attester: string;
  /** Address that receives the stake on withdrawal. */
  withdrawer: string;
  /** From 1 to the order of BN254's groups less 1. */
  blsSecretKey: bigint;
}

/** Validators of one transaction. */
const CHUNK = 16;

const queueAbi = parseAbi([
  "function getEntryQueueLength() view returns (uint256)",
  "function getAvailableValidatorFlushes() view returns (uint256)",
]);

/**
 * Stakes for the validators of a new network and admits as many as its first epoch allows
 * (docs/protocol/04-l1-contracts.md#434-initial-validators). Returns the number still in the entry queue. Throws the
 * errors of StepSender.
 */
export async function addValidators(
  validators: readonly InitialValidator[],
  contracts: PlannedContracts,
  activationThreshold: bigint,
  options: SendOptions,
): Promise<number> {
  const { rpc, deployer } = options;
  const { rollup, stakingAsset } = contracts;
  const run = async (list: StepList, nonce: number) => new StepSender(list.steps, nonce, options).run();
  let nonce = await nextNonce(rpc, deployer.address);
  const list = new StepList(deployer.address, nonce);
  const adder = list.deploy("MultiAdder", [rollup, deployer.address]);
  const stake = activationThreshold * BigInt(validators.length);
  list.call("TestERC20", stakingAsset, "mint", [adder, stake], "mint the validators' stake");
  for (let at = 0; at < validators.length; at += CHUNK) {
    const chunk = validators.slice(at, at + CHUNK);
    const args = chunk.map(({ attester, withdrawer, blsSecretKey }) => ({
      attester,
      withdrawer,
      ...registeredKeys(blsSecretKey),
    }));
    const purpose = `add validators ${at + 1} to ${at + chunk.length}`;
    list.call("MultiAdder", adder, "addValidators", [args, 0n], purpose);
  }
  await run(list, nonce);
  const queue = { name: "Rollup", address: rollup, abi: queueAbi };
  for (;;) {
    const [waiting, allowed] = await Promise.all([
      read(rpc, queue, "getEntryQueueLength", []),
      read(rpc, queue, "getAvailableValidatorFlushes", []),
    ]);
    if (waiting === 0n || allowed === 0n) return Number(waiting);
    nonce = await nextNonce(rpc, deployer.address);
    const flush = new StepList(deployer.address, nonce);
    flush.call("Rollup", rollup, "flushEntryQueue", [BigInt(CHUNK)], `let ${CHUNK} validators in`);
    await run(flush, nonce);
  }
}
