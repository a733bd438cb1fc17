import type { Core } from "../../core/core.ts";
import { concat, equal } from "../../protocol/bytes.ts";
import { balancedShaRoot } from "../../protocol/sha-trees.ts";
import { items } from "../../protocol/tx-effect.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";
import type { Parity } from "./layouts/rollups.ts";
import type { ParityBaseInput, ParityRootInput } from "./layouts/upper-inputs.ts";
import { poseidonRoot } from "./merkle-path.ts";

/** Roots over 256 messages to L2. */
export function parityBase(core: Core, { messages, vkTreeRoot }: ParityBaseInput): Parity {
  return {
    shaRoot: balancedShaRoot(items(messages), messages.length / 32),
    convertedRoot: poseidonRoot(core, messages),
    vkTreeRoot,
  };
}

/** Roots over the 1024 messages of a checkpoint. */
export function parityRoot(core: Core, { children }: ParityRootInput): Parity {
  const inputs = children.map(({ publicInputs }) => publicInputs);
  const [{ vkTreeRoot }] = inputs;
  for (const [i, child] of inputs.entries()) {
    if (!equal(child.vkTreeRoot, vkTreeRoot)) {
      throw new ConstraintError(`children[${i}].publicInputs.vkTreeRoot`, "must equal the first child's");
    }
  }
  return {
    shaRoot: balancedShaRoot(
      inputs.map(({ shaRoot }) => shaRoot),
      inputs.length,
    ),
    convertedRoot: poseidonRoot(core, concat(...inputs.map(({ convertedRoot }) => convertedRoot))),
    vkTreeRoot,
  };
}
