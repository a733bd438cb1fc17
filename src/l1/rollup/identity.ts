import { fromHex } from "../../protocol/bytes.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { recordedName } from "../../protocol/generations/known/choose.ts";
import { rollupAbi } from "../abi/rollup.ts";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import { read } from "../contracts/contract.ts";
import { ContractAnswerError, L1ReorgError } from "../errors.ts";
import { block } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { RollupIdentity } from "../types.ts";

/**
 * Reads the constants of a rollup from its contract (docs/protocol/04-l1-contracts.md#42-constants-of-a-rollup). The L1
 * slot duration is from the configuration.
 */
export async function readIdentity(
  rpc: L1Rpc,
  addresses: L1ContractAddresses,
  generation: Generation,
  configured: { l1ChainId: number; ethereumSlotDuration: number },
): Promise<RollupIdentity> {
  const rollup = { name: "Rollup", address: addresses.rollupAddress, abi: rollupAbi };
  const number = async (
    name:
      | "getVersion"
      | "L1_BLOCK_AT_GENESIS"
      | "getGenesisTime"
      | "getSlotDuration"
      | "getEpochDuration"
      | "getProofSubmissionEpochs"
      | "getTargetCommitteeSize"
      | "getManaLimit",
  ): Promise<number> => {
    const value = Number(await read(rpc, rollup, name, []));
    if (Number.isSafeInteger(value)) return value;
    throw new ContractAnswerError("Rollup", rollup.address, 32, { method: `eth_call Rollup.${name}` });
  };
  const [rollupVersion, l1StartBlock, l1GenesisTime, slotDuration, epochDuration, ...rest] = await Promise.all([
    number("getVersion"),
    number("L1_BLOCK_AT_GENESIS"),
    number("getGenesisTime"),
    number("getSlotDuration"),
    number("getEpochDuration"),
    number("getProofSubmissionEpochs"),
    number("getTargetCommitteeSize"),
    number("getManaLimit"),
  ]);
  const [proofSubmissionEpochs, targetCommitteeSize, rollupManaLimit] = rest;
  const params = [`0x${l1StartBlock.toString(16)}`, false];
  const [genesisArchiveRoot, startBlock] = await Promise.all([
    read(rpc, rollup, "archiveAt", [0n]).then(fromHex),
    rpc.request({ method: "eth_getBlockByNumber", params, parse: block }),
  ]);
  if (!startBlock) throw new L1ReorgError(`L1 has no block ${l1StartBlock}, where the rollup was deployed`);
  const name = recordedName(generation);
  return {
    l1ChainId: configured.l1ChainId,
    rollupVersion,
    ...(name === undefined ? {} : { generation: name }),
    addresses,
    constants: {
      l1StartBlock,
      l1GenesisTime,
      slotDuration,
      epochDuration,
      ethereumSlotDuration: configured.ethereumSlotDuration,
      proofSubmissionEpochs,
      targetCommitteeSize,
      rollupManaLimit,
    },
    l1StartBlockHash: startBlock.hash,
    genesisArchiveRoot,
  };
}
