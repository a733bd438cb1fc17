/** What differs between the instruction sets of the public VM. */
export interface VmRules {
  /**
   * Cells of a point: x, y and, if there are three, whether it is infinite. With two, (0, 0) is the infinite point.
   */
  readonly pointCells: 2 | 3;
  /** L2 gas of ECADD, without addressing. */
  readonly pointAdditionGas: number;
  /** L2 gas of each word that CALLDATACOPY and RETURNDATACOPY copy. */
  readonly copiedWordGas: number;
  /** Number of members of an instance that GETCONTRACTINSTANCE reads, in the order of VM_INSTANCE_MEMBERS. */
  readonly instanceMembers: number;
}

/** Members of a contract's instance, by their number in GETCONTRACTINSTANCE. */
export const VM_INSTANCE_MEMBERS = ["deployer", "classId", "initializationHash", "immutablesHash"] as const;

export interface ExecutionRules {
  readonly vm: VmRules;
  /**
   * What a revertible private nullifier that exists already does: "revert" it reverts app logic, "drop" no block can
   * include the transaction (docs/protocol/06-public-execution.md#624-phases step 4).
   */
  readonly revertibleCollision: "revert" | "drop";
  /**
   * Maximum number of slots that a transaction writes, the fee payment's included
   * (docs/protocol/06-public-execution.md#614-public-storage).
   */
  readonly maxWrites: 63 | 64;
}
