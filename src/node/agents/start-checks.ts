import type { Values } from "../../config/options.ts";
import { type PartValues, partValues } from "../../config/part-values.ts";
import { checkResource } from "../../process/otlp/resource.ts";
import { typesOf } from "../prover/agent-settings.ts";
import { circuitsOf } from "../prover/real-proofs.ts";
import { checkProofStore } from "../settings/object-stores.ts";

const CHECKS: readonly ((values: PartValues) => unknown)[] = [
  ({ otlp }) => checkResource(otlp),
  ({ agents }) => typesOf(agents.proofTypes ?? [], { warn() {} }),
  checkProofStore,
  ({ proofs, agents }) => proofs.real && circuitsOf(agents),
];

/** What the options of agents must be. Each throws an OperatorError. */
export const AGENT_CHECKS: readonly ((values: Values) => unknown)[] = CHECKS.map(
  (check) => (values) => check(partValues(values)),
);
