import type { Core } from "../../../src/core/core.ts";
import { contractClassId, publicBytecodeCommitment } from "../../../src/core/derive/contract-class.ts";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import { equal, fromHex } from "../../../src/protocol/bytes.ts";
import { FR_ZERO, type Fr, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";

/** Copies eight words of calldata to cell 100, has every kind of effect of them, then ends as `end` says. */
const program = (end: string): string =>
  [
    "29000001" + "04" + "00000008", // SET_32 cell 1: 8
    "29000002" + "04" + "00000000", // SET_32 cell 2: 0
    "29000003" + "04" + "00000002", // SET_32 cell 3: 2
    "1f00" + "0001" + "0002" + "0064", // CALLDATACOPY
    "3000" + "0064" + "0065", // SSTORE
    "3200" + "0066", // EMITNOTEHASH
    "3400" + "0067", // EMITNULLIFIER
    "3800" + "0068" + "0069", // SENDL2TOL1MSG
    "3700" + "0003" + "006a", // EMITPUBLICLOG
    end,
  ].join("");
const PROGRAMS = {
  writer: program("3b00" + "0002" + "0064"), // RETURN
  reverter: program("3d00" + "0002" + "0064"), // REVERT_16
};

export type MadeContract = ReturnType<typeof madeContract>;

export interface MadeContracts {
  readonly addresses: Readonly<Record<string, Fr>>;
  readonly source: ContractSource;
  /** Those that mark the contracts of genesis as deployed, ascending. */
  readonly nullifiers: Uint8Array[];
}

/** Its address depends on `salt` too. */
export function madeContract(
  core: Core,
  { contracts }: Generation,
  { packedBytecode, initializationHash = FR_ZERO }: { packedBytecode: Uint8Array; initializationHash?: Fr },
  salt: Fr,
) {
  const commitment = publicBytecodeCommitment(core, packedBytecode);
  const id = contractClassId(core, FR_ZERO, FR_ZERO, commitment);
  const parts = { salt, deployer: FR_ZERO, initializationHash, immutablesHash: FR_ZERO };
  const publicKeys = contracts.defaultPublicKeys;
  const address = contracts.instanceAddress(core, { ...parts, classId: id, publicKeys });
  return {
    instance: {
      ...{ ...parts, address, publicKeys, blockNumber: 0 },
      ...{ currentContractClassId: id, originalContractClassId: id },
    },
    contractClass: { id, artifactHash: FR_ZERO, privateFunctionsRoot: FR_ZERO, packedBytecode, blockNumber: 0 },
  };
}

export function sourceOfMade(made: readonly MadeContract[]): ContractSource {
  return {
    contractInstance: (wanted) => made.find(({ instance }) => equal(instance.address, wanted))?.instance,
    contractClass: (wanted) => made.find(({ contractClass }) => equal(contractClass.id, wanted))?.contractClass,
  };
}

/**
 * Contracts that exist from genesis on. Their calldata is value and slot of a write, note hash, nullifier, recipient
 * and content of a message, two fields of a log.
 */
export function writerAndReverter(core: Core, generation: Generation): MadeContracts {
  const made = Object.entries(PROGRAMS).map(([name, program], i) => {
    const packedBytecode = fromHex(`0x${program}`);
    return { name, ...madeContract(core, generation, { packedBytecode }, fr(i + 1)) };
  });
  return {
    addresses: Object.fromEntries(made.map(({ name, instance }) => [name, instance.address])),
    source: sourceOfMade(made),
    nullifiers: made
      .map(({ instance }) => siloNullifier(core, generation.contracts.instanceRegistry, instance.address))
      .sort(Buffer.compare),
  };
}
