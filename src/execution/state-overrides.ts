import type { Fr } from "../protocol/field.ts";

/** Changes to the state that a simulation makes before it runs (docs/protocol/05-rpc.md#525-simulation-output). */
export interface StateOverrides {
  /** Values of storage slots; `slot` is not siloed. */
  publicStorage: readonly { contract: Fr; slot: Fr; value: Fr }[];
  /** Instances that replace the known ones. Whether they are deployed still follows from the nullifier tree. */
  contracts: readonly {
    address: Fr;
    instance: { deployer: Fr; currentContractClassId: Fr; initializationHash: Fr; immutablesHash?: Fr };
  }[];
}
