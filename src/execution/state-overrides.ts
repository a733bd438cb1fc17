import type { Fr } from "../protocol/field.ts";

/** What a simulation supposes before it runs (sheet 03 section 6.6). */
export interface StateOverrides {
  /** Values of contracts' own slots. */
  publicStorage: readonly { contract: Fr; slot: Fr; value: Fr }[];
  /** Instances in place of those that are known; whether they are deployed stays for the nullifier tree to say. */
  contracts: readonly {
    address: Fr;
    instance: { deployer: Fr; currentContractClassId: Fr; initializationHash: Fr };
  }[];
}
