import type { ContractClass, ContractInstance } from "../archiver/content-types.ts";
import type { ContractSource } from "./contract-directory.ts";

/**
 * The contracts that were published up to a block. A block that is executed again must not see those of later ones,
 * which the store has by then.
 */
export class ContractsAsOf implements ContractSource {
  readonly #source: ContractSource;
  readonly #block: number;

  constructor(source: ContractSource, block: number) {
    this.#source = source;
    this.#block = block;
  }

  contractClass(id: Uint8Array): ContractClass | undefined {
    return this.#published(this.#source.contractClass(id));
  }

  contractInstance(address: Uint8Array, timestamp?: bigint): ContractInstance | undefined {
    return this.#published(this.#source.contractInstance(address, timestamp));
  }

  #published<T extends { readonly blockNumber: number }>(found: T | undefined): T | undefined {
    return found !== undefined && found.blockNumber <= this.#block ? found : undefined;
  }
}
