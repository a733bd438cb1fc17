import type { ContractClass, ContractInstance } from "../../archiver/content-types.ts";
import type { ContractSource } from "../../execution/contract-directory.ts";
import { mapKey } from "../../protocol/bytes.ts";
import { isClassPublished, isInstancePublished, readClassPublished } from "../../protocol/contracts/contract-events.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";

/** The stored contracts and those of rebuilt blocks, which are not stored. */
export class EarlierContracts implements ContractSource {
  readonly #stored: ContractSource;
  readonly #rules: ContractRules;
  readonly #classes = new Map<string, ContractClass>();
  readonly #instances = new Map<string, ContractInstance>();

  constructor(stored: ContractSource, rules: ContractRules) {
    this.#stored = stored;
    this.#rules = rules;
  }

  contractClass(id: Uint8Array): ContractClass | undefined {
    return this.#stored.contractClass(id) ?? this.#classes.get(mapKey(id));
  }

  contractInstance(address: Uint8Array, timestamp?: bigint): ContractInstance | undefined {
    return this.#stored.contractInstance(address, timestamp) ?? this.#instances.get(mapKey(address));
  }

  /** Adds what an executed tx published: execution has checked it. */
  add({ contractClassLogs, privateLogs }: TxEffect, blockNumber: number): void {
    for (const { fields } of contractClassLogs.filter((log) => isClassPublished(log, this.#rules))) {
      const published = readClassPublished(fields);
      this.#classes.set(mapKey(published.id), { ...published, blockNumber });
    }
    for (const fields of privateLogs.filter(isInstancePublished)) {
      const { classId, ...published } = this.#rules.readInstancePublished(fields);
      const instance = { ...published, currentContractClassId: classId, originalContractClassId: classId, blockNumber };
      this.#instances.set(mapKey(published.address), instance);
    }
  }
}
