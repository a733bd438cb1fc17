import type { Values } from "../../config/options.ts";

type ProverRole = Pick<Values, "proverNode" | "enableProverNode">;

export function hasProver({ proverNode, enableProverNode }: ProverRole): boolean {
  return proverNode || enableProverNode;
}

/** Whether proving is what a node is there for: it builds no blocks besides. */
export function onlyProves(values: ProverRole & Pick<Values, "sequencer">): boolean {
  return hasProver(values) && !values.sequencer;
}
