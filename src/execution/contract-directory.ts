import type { ContentReader, ContractInstance as StoredInstance } from "../archiver/content-types.ts";
import type { Core } from "../core/core.ts";
import { contractClassId, publicBytecodeCommitment } from "../core/derive/contract-class.ts";
import { equal, isZero, mapKey, toHex } from "../protocol/bytes.ts";
import {
  type ClassPublished,
  isClassPublished,
  isInstancePublished,
  readClassPublished,
} from "../protocol/contracts/contract-events.ts";
import type { Fr } from "../protocol/field.ts";
import type { ContractRules, InstancePublished } from "../protocol/generations/contracts.ts";
import { orUnprocessable, UnprocessableTxError } from "./errors.ts";
import type { StateOverrides } from "./state-overrides.ts";
import type { ContractInstance } from "./vm/host.ts";

/** Source of the contracts of earlier blocks. */
export type ContractSource = Pick<ContentReader, "contractClass" | "contractInstance">;

/** A contract with everything that its address commits to, and its current class. */
type WholeInstance = Omit<StoredInstance, "blockNumber">;

/** Logs by which the private part of a tx publishes contracts. */
export interface ContractLogs {
  /** Emitted fields of each. */
  privateLogs: readonly Uint8Array[];
  contractClassLogs: readonly { contractAddress: Uint8Array; fields: Uint8Array }[];
}

/**
 * Addresses 1 to this are reserved for the protocol, whether or not a contract is deployed there
 * (docs/protocol/06-public-execution.md#621-finding-a-contract).
 */
const MAX_PROTOCOL_CONTRACTS = 11;

export function isProtocolAddress(address: Fr): boolean {
  const last = address[31];
  return last >= 1 && last <= MAX_PROTOCOL_CONTRACTS && isZero(address.subarray(0, 31));
}

interface ContractDirectoryParts {
  core: Core;
  rules: ContractRules;
  source: ContractSource;
  /** The block's, in seconds. It determines the current class of an updated contract. */
  timestamp: bigint;
}

/** What the VM reads of an instance. */
export function vmInstance(instance: StateOverrides["contracts"][number]["instance"]): ContractInstance {
  const { deployer, currentContractClassId: classId, initializationHash, immutablesHash } = instance;
  return { deployer, classId, initializationHash, immutablesHash };
}

/**
 * Contracts as the transactions of one block see them: those of earlier blocks and those that the block's transactions
 * have published. The latter can be reverted to any mark. Each address is looked up in the source at most once per
 * block.
 */
export class ContractDirectory {
  readonly #core: Core;
  readonly #rules: ContractRules;
  readonly #source: ContractSource;
  readonly #timestamp: bigint;
  readonly #found = new Map<string, ContractInstance | undefined>();
  readonly #instances = new Map<string, InstancePublished>();
  readonly #classes = new Map<string, ClassPublished>();
  /** Undo operations of the publications, oldest first. */
  readonly #undo: (() => void)[] = [];

  constructor({ core, rules, source, timestamp }: ContractDirectoryParts) {
    this.#core = core;
    this.#rules = rules;
    this.#source = source;
    this.#timestamp = timestamp;
  }

  /** The known contract at an address. Whether it is deployed follows from the nullifier tree, not from this. */
  instance(address: Fr): ContractInstance | undefined {
    const published = this.#instances.get(mapKey(address));
    if (published === undefined) return this.storedInstance(address);
    return vmInstance({ ...published, currentContractClassId: published.classId });
  }

  /** As `instance`, but ignores contracts that the block's transactions have published. */
  storedInstance(address: Fr): ContractInstance | undefined {
    const key = mapKey(address);
    if (this.#found.has(key)) return this.#found.get(key);
    const stored = this.#source.contractInstance(address, this.#timestamp);
    const instance = stored && vmInstance(stored);
    this.#found.set(key, instance);
    return instance;
  }

  /** Replaces the instance that the source has for an address. */
  override(address: Fr, instance: ContractInstance): void {
    this.#found.set(mapKey(address), instance);
  }

  /** As `instance`, with everything that its address commits to. It is read from the source each time. */
  wholeInstance(address: Fr): WholeInstance | undefined {
    const published = this.#instances.get(mapKey(address));
    if (published === undefined) return this.#source.contractInstance(address, this.#timestamp);
    const { classId, ...instance } = published;
    return { ...instance, currentContractClassId: classId, originalContractClassId: classId };
  }

  contractClass(classId: Fr): ClassPublished | undefined {
    return this.#classes.get(mapKey(classId)) ?? this.#source.contractClass(classId);
  }

  mark(): number {
    return this.#undo.length;
  }

  revertTo(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.();
  }

  /**
   * Adds the contracts that the logs publish. Throws an UnprocessableTxError for a malformed log and for a class that
   * does not match its id.
   */
  publish({ privateLogs, contractClassLogs }: ContractLogs): void {
    for (const log of contractClassLogs) if (isClassPublished(log, this.#rules)) this.#publishClass(log.fields);
    for (const fields of privateLogs) {
      if (!isInstancePublished(fields)) continue;
      const instance = orUnprocessable(() => this.#rules.readInstancePublished(fields));
      this.#put(this.#instances, mapKey(instance.address), instance);
    }
  }

  #publishClass(fields: Uint8Array): void {
    const published = orUnprocessable(() => readClassPublished(fields));
    const { id, artifactHash, privateFunctionsRoot, packedBytecode } = published;
    const commitment = orUnprocessable(() => publicBytecodeCommitment(this.#core, packedBytecode));
    const computed = contractClassId(this.#core, artifactHash, privateFunctionsRoot, commitment);
    if (!equal(computed, id)) {
      throw new UnprocessableTxError(
        `Invalid contract class id: computed ${toHex(computed)} but event broadcasted ${toHex(id)}`,
      );
    }
    this.#put(this.#classes, mapKey(id), published);
  }

  #put<Value>(map: Map<string, Value>, key: string, value: Value): void {
    const before = map.get(key);
    this.#undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
    map.set(key, value);
  }
}
