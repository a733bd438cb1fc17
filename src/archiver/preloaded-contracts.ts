import { toHex } from "../protocol/bytes.ts";
import { FR_ZERO, fr } from "../protocol/field.ts";
import type { ContractRules } from "../protocol/generations/contracts.ts";
import type { ContractClass, ContractInstance } from "./content-types.ts";

/** Classes of the protocol contracts by id (0x text). They count as registered in block 0 and have no rows. */
export function preloadedClasses({
  protocolContracts,
}: Pick<ContractRules, "protocolContracts">): ReadonlyMap<string, ContractClass> {
  return new Map(
    protocolContracts.map(({ classId, artifactHash, privateFunctionsRoot, packedBytecode }) => [
      toHex(classId),
      { id: classId, artifactHash, privateFunctionsRoot, packedBytecode, blockNumber: 0 },
    ]),
  );
}

/**
 * The protocol contracts by address (0x text): salt 1, each is its own deployer
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events).
 */
export function preloadedInstances({
  protocolContracts,
  defaultPublicKeys,
}: Pick<ContractRules, "protocolContracts" | "defaultPublicKeys">): ReadonlyMap<string, ContractInstance> {
  return new Map(
    protocolContracts.map(({ address, classId }) => [
      toHex(address),
      {
        address,
        salt: fr(1),
        deployer: address,
        currentContractClassId: classId,
        originalContractClassId: classId,
        initializationHash: FR_ZERO,
        publicKeys: defaultPublicKeys,
        blockNumber: 0,
      },
    ]),
  );
}
