import type { ExecutionRules } from "../execution.ts";

/** docs/protocol/06-public-execution.md#634-what-each-generation-does. */
export const EXECUTION: ExecutionRules = {
  vm: { pointCells: 2, pointAdditionGas: 180, copiedWordGas: 6, instanceMembers: 4 },
  revertibleCollision: "drop",
  maxWrites: 64,
};
