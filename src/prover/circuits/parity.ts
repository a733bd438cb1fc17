import { concat, equal } from "../../protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE } from "../../protocol/constants.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import { balancedShaRoot } from "../../protocol/sha-trees.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";
import type { Parity } from "./layouts/rollups.ts";
import type { ParityBaseInput, ParityRootInput } from "./layouts/upper-inputs.ts";
import { poseidonRoot } from "./merkle-path.ts";

/** Roots over 256 messages to L2. */
export function parityBase(context: CircuitContext, { messages, vkTreeRoot, proverId }: ParityBaseInput): Parity {
  return {
    shaRoot: balancedShaRoot(items(messages), messages.length / 32),
    convertedRoot: poseidonRoot(context, L1_TO_L2_MESSAGE_TREE, messages),
    vkTreeRoot,
    proverId,
  };
}

/** Roots over the 1024 messages of a checkpoint. */
export function parityRoot(context: CircuitContext, { children }: ParityRootInput): Parity {
  const inputs = children.map(({ publicInputs }) => publicInputs);
  const [{ vkTreeRoot, proverId }] = inputs;
  for (const [i, child] of inputs.entries()) {
    if (!equal(child.vkTreeRoot, vkTreeRoot)) {
      throw new ConstraintError(`children[${i}].publicInputs.vkTreeRoot`, "must equal the first child's");
    }
    if (proverId !== undefined && !equal(child.proverId ?? FR_ZERO, proverId)) {
      throw new ConstraintError(`children[${i}].publicInputs.proverId`, "must equal the first child's");
    }
  }
  return {
    shaRoot: balancedShaRoot(
      inputs.map(({ shaRoot }) => shaRoot),
      inputs.length,
    ),
    convertedRoot: poseidonRoot(
      context,
      L1_TO_L2_MESSAGE_TREE,
      concat(...inputs.map(({ convertedRoot }) => convertedRoot)),
    ),
    vkTreeRoot,
    proverId,
  };
}
