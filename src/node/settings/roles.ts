import type { PartValues } from "../../config/part-values.ts";

type Modes = PartValues["modes"];

export function hasProver({ proverNode, enableProverNode }: Pick<Modes, "proverNode" | "enableProverNode">): boolean {
  return proverNode || enableProverNode;
}

/** Whether proving is what a node is there for: it builds no blocks besides. */
export function onlyProves(modes: Pick<Modes, "proverNode" | "enableProverNode" | "sequencer">): boolean {
  return hasProver(modes) && !modes.sequencer;
}
