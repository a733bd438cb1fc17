import { DEFAULT_PUBLIC_KEYS, publicKeysBytes } from "../core/derive/public-keys.ts";
import { toHex } from "../protocol/bytes.ts";
import { FR_ZERO, fr } from "../protocol/field.ts";
import { PROTOCOL_CONTRACTS } from "../protocol/protocol-contracts.ts";
import type { ContractClass, ContractInstance } from "./content-types.ts";

/** Classes of the protocol contracts by id (0x text). They count as registered in block 0 and have no rows. */
export const PRELOADED_CLASSES: ReadonlyMap<string, ContractClass> = new Map(
  PROTOCOL_CONTRACTS.map(({ classId, artifactHash, privateFunctionsRoot, packedBytecode }) => [
    toHex(classId),
    { id: classId, artifactHash, privateFunctionsRoot, packedBytecode, blockNumber: 0 },
  ]),
);

/**
 * The protocol contracts by address (0x text): salt 1, each is its own deployer
 * (docs/protocol/03-blocks-and-blobs.md#320-contract-events).
 */
export const PRELOADED_INSTANCES: ReadonlyMap<string, ContractInstance> = new Map(
  PROTOCOL_CONTRACTS.map(({ address, classId }) => [
    toHex(address),
    {
      address,
      salt: fr(1),
      deployer: address,
      currentContractClassId: classId,
      originalContractClassId: classId,
      initializationHash: FR_ZERO,
      publicKeys: publicKeysBytes(DEFAULT_PUBLIC_KEYS),
      blockNumber: 0,
    },
  ]),
);
