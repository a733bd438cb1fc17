import { toHex } from "../protocol/bytes.ts";
import { FR_ZERO, fr } from "../protocol/field.ts";
import { V4 } from "../protocol/generations/v4/v4.ts";
import type { ContractClass, ContractInstance } from "./content-types.ts";

/** Classes of the protocol contracts by id (0x text). They count as registered in block 0 and have no rows. */
export const PRELOADED_CLASSES: ReadonlyMap<string, ContractClass> = new Map(
  V4.contracts.protocolContracts.map(({ classId, artifactHash, privateFunctionsRoot, packedBytecode }) => [
    toHex(classId),
    { id: classId, artifactHash, privateFunctionsRoot, packedBytecode, blockNumber: 0 },
  ]),
);

/**
 * The protocol contracts by address (0x text): salt 1, each is its own deployer
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events).
 */
export const PRELOADED_INSTANCES: ReadonlyMap<string, ContractInstance> = new Map(
  V4.contracts.protocolContracts.map(({ address, classId }) => [
    toHex(address),
    {
      address,
      salt: fr(1),
      deployer: address,
      currentContractClassId: classId,
      originalContractClassId: classId,
      initializationHash: FR_ZERO,
      publicKeys: V4.contracts.defaultPublicKeys,
      blockNumber: 0,
    },
  ]),
);
