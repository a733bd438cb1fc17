import type { ExecutionRules } from "../execution.ts";

/** docs/protocol/06-public-execution.md#634-what-each-generation-does. */
export const EXECUTION: ExecutionRules = {
  vm: { pointCells: 3, pointAdditionGas: 270, copiedWordGas: 3, instanceMembers: 3 },
  revertibleCollision: "revert",
  maxWrites: 63,
};
