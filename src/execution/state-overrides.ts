import type { Fr } from "../protocol/field.ts";

/** Changes to the state that a simulation makes before it runs (sheet 03 section 6.6). */
export interface StateOverrides {
  /** Values of storage slots; `slot` is not siloed. */
  publicStorage: readonly { contract: Fr; slot: Fr; value: Fr }[];
  /** Instances that replace the known ones. Whether they are deployed still follows from the nullifier tree. */
  contracts: readonly {
    address: Fr;
    instance: { deployer: Fr; currentContractClassId: Fr; initializationHash: Fr };
  }[];
}
