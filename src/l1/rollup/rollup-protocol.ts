import { parseAbi } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { type Commitments, generationOf } from "../../protocol/generations/known/choose.ts";
import { read } from "../contracts/contract.ts";
import { ContractAnswerError, ContractRevertError, OtherProtocolError } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** What a rollup says of itself. Those of v4 have no function for the last two. */
const abi = parseAbi([
  "function getVersion() view returns (uint256)",
  "function archiveAt(uint256) view returns (bytes32)",
  "function getVkTreeRoot() view returns (bytes32)",
  "function getProtocolContractsHash() view returns (bytes32)",
]);

/** Storage slots of the two words in a rollup of v4 (docs/protocol/04-l1-contracts.md#43-storage-of-the-rollup). */
const STORAGE = 0x0958201b72d64259285941dffd868dac55267471fcc73e8a06e1fd9cf8706361n;
const VK_TREE_ROOT_SLOT = STORAGE + 3n;
const PROTOCOL_CONTRACTS_HASH_SLOT = STORAGE + 4n;

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
 * The generation of a rollup, from the circuits and protocol contracts that it commits to
 * (docs/protocol/04-l1-contracts.md#436-generations). Its version is no sign: that is a hash of its configuration.
 * Throws an OtherProtocolError if it is none of those that this program knows.
 */
export async function rollupGeneration(rpc: L1Rpc, rollupAddress: string): Promise<Generation> {
  const told = await toldCommitments(rpc, rollupAddress);
  const silent = told.vkTreeRoot === undefined && told.protocolContractsHash === undefined;
  const commitments = silent ? await storedCommitments(rpc, rollupAddress) : told;
  const generation = generationOf(commitments);
  if (generation !== undefined) return generation;
  const rollup = { name: "Rollup", address: rollupAddress, abi };
  const [rollupVersion, genesisArchiveRoot] = await Promise.all([
    unlessRefused(read(rpc, rollup, "getVersion", [])),
    unlessRefused(read(rpc, rollup, "archiveAt", [0n])),
  ]);
  throw new OtherProtocolError({ rollupAddress, rollupVersion, genesisArchiveRoot, ...commitments });
}
