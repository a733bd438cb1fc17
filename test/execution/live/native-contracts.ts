import { concat, mapKey } from "../../../src/protocol/bytes.ts";
import {
  type ClassPublished,
  isClassPublished,
  isInstancePublished,
  readClassPublished,
} from "../../../src/protocol/contracts/contract-events.ts";
import { FR_ZERO } from "../../../src/protocol/field.ts";
import type { InstancePublished } from "../../../src/protocol/generations/contracts.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { field, type GivenTx, sourceOf } from "../../world/execution/avm-vectors.ts";
import { decode, encode, type Plain, word } from "../../world/world-state/native-codec.ts";

interface NativeLogs {
  contractClassLogs: { contractAddress: Uint8Array; fields: { fields: Uint8Array[] }; emittedLength: number }[];
  privateLogs: { fields: Uint8Array[]; emittedLength: number }[];
}

/** Contracts that a transaction has published so far. */
interface Published {
  readonly instances: ReadonlyMap<string, InstancePublished>;
  readonly classes: ReadonlyMap<string, ClassPublished>;
}

/**
 * Answers the simulator's questions about contracts of a case, and keeps those that its transaction publishes. When
 * they are published, and when that is reverted, the simulator says.
 */
export function nativeContracts(
  given: GivenTx,
  { contracts }: Pick<Generation, "contracts">,
  publicKeys: (keys: Uint8Array) => Plain,
): Plain {
  const source = sourceOf(given.contracts);
  const states: Published[] = [{ instances: new Map(), classes: new Map() }];
  const now = (): Published => states[states.length - 1];
  const emitted = (fields: Uint8Array[], count: number) => concat(...fields.slice(0, count).map(word));
  return {
    getContractInstance: async (text: string) => {
      const address = field(text);
      const published = now().instances.get(mapKey(address));
      const instance = published
        ? { ...published, currentContractClassId: published.classId, originalContractClassId: published.classId }
        : source.contractInstance(address);
      if (instance === undefined) return undefined;
      return encode({
        address: word(address),
        salt: word(instance.salt),
        deployer: word(instance.deployer),
        currentContractClassId: word(instance.currentContractClassId),
        originalContractClassId: word(instance.originalContractClassId),
        initializationHash: word(instance.initializationHash),
        immutablesHash: word(instance.immutablesHash ?? FR_ZERO),
        publicKeys: publicKeys(published?.publicKeys ?? contracts.defaultPublicKeys),
      });
    },
    getContractClass: async (text: string) => {
      const id = field(text);
      const found = now().classes.get(mapKey(id)) ?? source.contractClass(id);
      if (found === undefined) return undefined;
      return encode({
        id: word(id),
        artifactHash: word(found.artifactHash),
        privateFunctionsRoot: word(found.privateFunctionsRoot),
        packedBytecode: Buffer.from(found.packedBytecode),
      });
    },
    getBytecodeCommitment: async () => encode(word(FR_ZERO)),
    getDebugFunctionName: async () => undefined,
    addContracts: async (data: Uint8Array) => {
      const { contractClassLogs, privateLogs } = decode(data) as NativeLogs;
      const classes = contractClassLogs
        .map((log) => ({
          contractAddress: word(log.contractAddress),
          fields: emitted(log.fields.fields, log.emittedLength),
        }))
        .filter((log) => isClassPublished(log, contracts))
        .map(({ fields }) => readClassPublished(fields));
      const instances = privateLogs
        .map(({ fields, emittedLength }) => emitted(fields, emittedLength))
        .filter(isInstancePublished)
        .map((fields) => contracts.readInstancePublished(fields));
      const before = states.pop() as Published;
      states.push({
        instances: new Map([...before.instances, ...instances.map((each) => [mapKey(each.address), each] as const)]),
        classes: new Map([...before.classes, ...classes.map((each) => [mapKey(each.id), each] as const)]),
      });
    },
    createCheckpoint: async () => void states.push(now()),
    commitCheckpoint: async () => void states.splice(-2, 1),
    revertCheckpoint: async () => void states.pop(),
  };
}
