import type { ContractClass, ContractInstance } from "../../../src/archiver/content-types.ts";
import { preloadedClasses, preloadedInstances } from "../../../src/archiver/preloaded-contracts.ts";
import { contractClassId, publicBytecodeCommitment } from "../../../src/core/derive/contract-class.ts";
import {
  contractUpdateSlots,
  delayedClassIdHash,
  delayedClassIdWords,
} from "../../../src/core/derive/contract-update.ts";
import { publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { fromHex, isZero, toHex, word } from "../../../src/protocol/bytes.ts";
import { FR_ZERO, type Fr, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { core, field, type GivenTx, GLOBALS } from "../../world/execution/avm-vectors.ts";

const NOW = Number(GLOBALS.timestamp);
const NO_DELAYS = { delayBefore: undefined, delayAfter: undefined, delayTimestampOfChange: 0 };
const NO_SCHEDULE = fr(5);
/** What generated cases have for FeeJuice. */
const FEE_JUICE = 5n;

/** A SET_32 of a field from 0x1001 on: the form in which generated programs have addresses. */
const ADDRESS_SET = /2900([0-9a-f]{4})00(0000100[0-9])/g;

/** A generated case on contracts that exist under derived ids and addresses, as a circuit demands. */
export interface ProvableCase {
  given: GivenTx;
  instances: ContractInstance[];
  classes: ContractClass[];
  /** Slots of the public data tree with their values, to be written before the transaction. */
  writes: { key: Fr; value: Fr }[];
}

/**
 * An address cannot commit to a program that contains it, so each contract has the class of its program by an update:
 * the first, third and so on by one in the past, the others until one in the future. FeeJuice is the released one, at
 * the address of the generation.
 */
export function provableCase(generated: GivenTx, { contracts }: Generation): ProvableCase {
  const feeJuice = preloadedInstances(contracts).get(toHex(contracts.feeJuice))!;
  const labelled = generated.contracts.filter(({ address }) => BigInt(address) !== FEE_JUICE);
  const instances = labelled.map(({ deployer, initHash }, i) => {
    const parts = { salt: fr(i + 1), deployer: field(deployer!), initializationHash: field(initHash!) };
    const originalClassId = fr(0x777 + i);
    const address = contracts.instanceAddress(core, {
      ...parts,
      classId: originalClassId,
      publicKeys: contracts.defaultPublicKeys,
    });
    return { ...feeJuice, ...parts, address, originalContractClassId: originalClassId };
  });
  const addressOf = (label: string): string => {
    if (BigInt(label) === FEE_JUICE) return toHex(contracts.feeJuice);
    const at = labelled.findIndex(({ address }) => BigInt(address) === BigInt(label));
    return at < 0 ? label : toHex(instances[at].address);
  };
  const classes = labelled.map(({ bytecode }) => {
    const program = (bytecode as string).replace(ADDRESS_SET, (set, cell: string, label: string) => {
      const address = addressOf(`0x${label}`);
      return address === `0x${label}` ? set : `2c00${cell}00${address.slice(2)}`;
    });
    const packedBytecode = fromHex(program.startsWith("0x") ? program : `0x${program}`);
    const id = contractClassId(core, FR_ZERO, FR_ZERO, publicBytecodeCommitment(core, packedBytecode));
    return { id, artifactHash: FR_ZERO, privateFunctionsRoot: FR_ZERO, packedBytecode, blockNumber: 0 };
  });
  const call = <C extends { address: string }>(given: C): C => ({ ...given, address: addressOf(given.address) });
  const { setup, app, teardown } = generated.tx;
  return {
    given: {
      ...generated,
      contracts: labelled.map((contract) => call(contract)),
      tx: {
        ...generated.tx,
        setup: setup?.map(call),
        app: app?.map(call),
        ...(teardown && { teardown: call(teardown) }),
      },
    },
    instances: [feeJuice, ...instances.map((instance, i) => ({ ...instance, currentContractClassId: classes[i].id }))],
    classes: [preloadedClasses(contracts).get(toHex(feeJuice.currentContractClassId))!, ...classes],
    writes: instances.flatMap(({ address }, i) =>
      updateOf(contracts.instanceRegistry, address, classes[i].id, i % 2 === 0),
    ),
  };
}

function updateOf(registry: Fr, address: Fr, classId: Fr, isPast: boolean): ProvableCase["writes"] {
  const words = delayedClassIdWords(
    isPast
      ? { ...NO_DELAYS, previous: FR_ZERO, next: classId, timestampOfChange: NOW - 10 }
      : { ...NO_DELAYS, previous: classId, next: NO_SCHEDULE, timestampOfChange: NOW + 10 },
  );
  const { values, hash } = contractUpdateSlots(core, address);
  const stored = [0, 1, 2].map((i) => ({ slot: core.field.add(values, fr(i)), value: word(words, i).slice() }));
  return [...stored, { slot: hash, value: delayedClassIdHash(core, words) }]
    .filter(({ value }) => !isZero(value))
    .map(({ slot, value }) => ({ key: publicDataLeafSlot(core, registry, slot), value }));
}
