import { parseAbi } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import { V4 } from "../../protocol/generations/v4/v4.ts";
import { read } from "../contracts/contract.ts";
import { ContractAnswerError, ContractRevertError, OtherProtocolError } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** What a rollup says of itself. Those of v4 have no function for the last two. */
const abi = parseAbi([
  "function getVersion() view returns (uint256)",
  "function getVkTreeRoot() view returns (bytes32)",
  "function getProtocolContractsHash() view returns (bytes32)",
]);

/** Storage slots of the two words in a rollup of v4 (docs/protocol/04-l1-contracts.md#43-storage-of-the-rollup). */
const STORAGE = 0x0958201b72d64259285941dffd868dac55267471fcc73e8a06e1fd9cf8706361n;
const VK_TREE_ROOT_SLOT = STORAGE + 3n;
const PROTOCOL_CONTRACTS_HASH_SLOT = STORAGE + 4n;

/** Generations by what their rollups commit to (docs/protocol/04-l1-contracts.md#436-generations). */
const GENERATIONS = [
  { name: "v4", vkTreeRoot: V4.contracts.vkTreeRoot, protocolContractsHash: V4.contracts.protocolContractsHash },
  {
    name: "v5",
    vkTreeRoot: "0x2b3b6ea4412b9c8f6457a37f91a2870306f8641e07e16a49b68bda6f8bc02892",
    protocolContractsHash: "0x2c075866eafc88a1f6f9addc7e337c6e64e45d1cb7fd7c0d612ebcec72aab2ca",
  },
] as const;

/** What a rollup commits to, as 0x text; undefined where it does not answer. */
interface Commitments {
  vkTreeRoot: string | undefined;
  protocolContractsHash: string | undefined;
}

async function unlessRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ContractRevertError || error instanceof ContractAnswerError) return undefined;
    throw error;
  }
}

async function toldCommitments(rpc: L1Rpc, rollupAddress: string): Promise<Commitments> {
  const rollup = { name: "Rollup", address: rollupAddress, abi };
  const [vkTreeRoot, protocolContractsHash] = await Promise.all([
    unlessRefused(read(rpc, rollup, "getVkTreeRoot", [])),
    unlessRefused(read(rpc, rollup, "getProtocolContractsHash", [])),
  ]);
  return { vkTreeRoot, protocolContractsHash };
}

async function storedCommitments(rpc: L1Rpc, rollupAddress: string): Promise<Commitments> {
  const word = (slot: bigint, about: string): Promise<string> => {
    const params = [rollupAddress, `0x${slot.toString(16).padStart(64, "0")}`, "latest"];
    const parse = (value: unknown): string => toHex(bytes(value, "result", 32));
    return rpc.request({ method: "eth_getStorageAt", params, parse, about });
  };
  const [vkTreeRoot, protocolContractsHash] = await Promise.all([
    word(VK_TREE_ROOT_SLOT, "Rollup.vkTreeRoot"),
    word(PROTOCOL_CONTRACTS_HASH_SLOT, "Rollup.protocolContractsHash"),
  ]);
  return { vkTreeRoot, protocolContractsHash };
}

/**
 * Throws an OtherProtocolError if the rollup commits to other circuits or protocol contracts than those of v4
 * (docs/protocol/04-l1-contracts.md#436-generations). The rollup's version is no sign: it is a hash of its
 * configuration.
 */
export async function checkProtocol(rpc: L1Rpc, rollupAddress: string): Promise<void> {
  const told = await toldCommitments(rpc, rollupAddress);
  const silent = told.vkTreeRoot === undefined && told.protocolContractsHash === undefined;
  const commitments = silent ? await storedCommitments(rpc, rollupAddress) : told;
  const generation = GENERATIONS.find(
    (known) =>
      known.vkTreeRoot === commitments.vkTreeRoot && known.protocolContractsHash === commitments.protocolContractsHash,
  )?.name;
  if (generation === "v4") return;
  const rollup = { name: "Rollup", address: rollupAddress, abi };
  const rollupVersion = await unlessRefused(read(rpc, rollup, "getVersion", []));
  throw new OtherProtocolError({ rollupAddress, rollupVersion, generation, ...commitments });
}
