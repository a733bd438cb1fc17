import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { GENERATIONS_WITH_DUTIES, generationNamed } from "../../protocol/generations/known/choose.ts";

/** Options that ask for more than following the chain. */
const DUTIES: readonly { option: string; given(values: Pick<PartValues, "modes" | "p2p">): boolean }[] = [
  { option: "P2P_ENABLED", given: ({ p2p }) => p2p.enabled },
  { option: "--sequencer", given: ({ modes }) => modes.sequencer },
  { option: "--prover-node", given: ({ modes }) => modes.proverNode },
  { option: "ENABLE_PROVER_NODE", given: ({ modes }) => modes.enableProverNode },
  { option: "--bot", given: ({ modes }) => modes.bot },
];

/** Throws a ConfigurationError for an option that a node of the rollup's generation cannot have. */
export function checkDuties(
  values: Pick<PartValues, "modes" | "p2p">,
  { generation, addresses }: Pick<RollupIdentity, "generation" | "addresses">,
): void {
  const { name } = generationNamed(generation);
  if (GENERATIONS_WITH_DUTIES.some((each) => each.name === name)) return;
  const options = DUTIES.filter(({ given }) => given(values)).map(({ option }) => option);
  if (options.length === 0) return;
  const supported = GENERATIONS_WITH_DUTIES.map((each) => each.name).join(" or ");
  throw new ConfigurationError(
    `${options.join(", ")} needs a rollup of protocol ${supported}, but ${addresses.rollupAddress} is of ${name}, ` +
      "which this program follows without peers, blocks and proofs of its own: turn the option off " +
      "(P2P_ENABLED=false where --network turned it on)",
  );
}
