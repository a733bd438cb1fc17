import { parseAbi } from "viem";
import { read } from "../contracts/contract.ts";
import { L1RpcError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { DEVELOPMENT_CHAIN_ID } from "./plan.ts";

/** The development node's own chain, and the chain id of the network's test environments. */
const DEVELOPMENT_CHAINS = [DEVELOPMENT_CHAIN_ID, 677_692];

export function isDevelopmentChain(chainId: number): boolean {
  return DEVELOPMENT_CHAINS.includes(chainId);
}

const slotAbi = parseAbi([
  "function getCurrentSlot() view returns (uint256)",
  "function getTimestampForSlot(uint256 slot) view returns (uint256)",
]);

const ignored = () => undefined;

/** Whether the chain mines each transaction immediately (automine); false if the endpoint does not tell. */
export async function minesAtOnce(rpc: L1Rpc): Promise<boolean> {
  try {
    return await rpc.request({ method: "anvil_getAutomine", params: [], parse: (value) => value === true });
  } catch (error) {
    if (error instanceof L1RpcError) return false;
    throw error;
  }
}

/**
 * Sets the timestamp interval between blocks of a development chain. Other chains refuse the call, which is ignored.
 */
export async function setBlockInterval(rpc: L1Rpc, seconds: number): Promise<void> {
  try {
    await rpc.request({ method: "anvil_setBlockTimestampInterval", params: [seconds], parse: ignored });
  } catch (error) {
    if (!(error instanceof L1RpcError)) throw error;
  }
}

/**
 * Mines a block at the start of slot 1 if the chain is still in slot 0, where no checkpoint can be proposed because
 * genesis occupies that slot (docs/protocol/04-l1-contracts.md#432-deployment-steps, step 16).
 */
export async function leaveFirstSlot(rpc: L1Rpc, rollupAddress: string): Promise<void> {
  const rollup = { name: "Rollup", address: rollupAddress, abi: slotAbi };
  if ((await read(rpc, rollup, "getCurrentSlot", [])) !== 0n) return;
  const start = await read(rpc, rollup, "getTimestampForSlot", [1n]);
  await rpc.request({ method: "evm_setNextBlockTimestamp", params: [Number(start)], parse: ignored });
  await rpc.request({ method: "evm_mine", params: [], parse: ignored });
}
