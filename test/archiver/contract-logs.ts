import type { Core } from "../../src/core/core.ts";
import {
  contractClassId,
  packedBytecodeFields,
  publicBytecodeCommitment,
} from "../../src/core/derive/contract-class.ts";
import { concat } from "../../src/protocol/bytes.ts";
import {
  CLASS_PUBLISHED,
  INSTANCE_PUBLISHED,
  INSTANCE_REGISTRY,
  INSTANCE_UPDATED,
} from "../../src/protocol/contracts/contract-events.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { seeded } from "../world/archiver/synthetic-chain.ts";

/** A class determined by the text alone, and the log that publishes it. */
export function madeClass(
  text: string,
  core: Core,
  bytecode = new Uint8Array(Buffer.from(`bytecode of ${text} `.repeat(4))),
) {
  const artifactHash = seeded(`artifact ${text}`);
  const privateFunctionsRoot = seeded(`private functions ${text}`);
  const id = contractClassId(core, artifactHash, privateFunctionsRoot, publicBytecodeCommitment(core, bytecode));
  const chunks = packedBytecodeFields(bytecode);
  const fields = concat(CLASS_PUBLISHED, id, fr(1), artifactHash, privateFunctionsRoot, fr(bytecode.length), chunks);
  return {
    id,
    artifactHash,
    privateFunctionsRoot,
    packedBytecode: bytecode,
    log: { contractAddress: V4.contracts.classRegistry, fields },
  };
}

/** An instance determined by text and class alone, and the private log that publishes it. */
export function madeInstance(text: string, classId: Uint8Array, core: Core) {
  const salt = seeded(`salt ${text}`);
  const deployer = seeded(`deployer ${text}`);
  const initializationHash = seeded(`initialization ${text}`);
  const publicKeys = V4.contracts.defaultPublicKeys;
  const address = V4.contracts.instanceAddress(core, { salt, deployer, initializationHash, classId, publicKeys });
  const log = concat(INSTANCE_PUBLISHED, address, fr(1), salt, classId, initializationHash, publicKeys, deployer);
  return { address, salt, deployer, initializationHash, publicKeys, log };
}

/** The public log that announces another class for an instance. */
export function updateLog(address: Uint8Array, previous: Uint8Array, next: Uint8Array, timestampOfChange: number) {
  const fields = concat(INSTANCE_UPDATED, address, previous, next, fr(timestampOfChange));
  return { contractAddress: INSTANCE_REGISTRY, fields };
}

/** Fields with word `index` replaced. */
export function withWord(fields: Uint8Array, index: number, value: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(fields);
  changed.set(value, index * 32);
  return changed;
}
