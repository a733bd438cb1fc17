import type { Values } from "../../config/options.ts";
import { checkResource } from "../../process/otlp/resource.ts";
import { typesOf } from "./agent-settings.ts";
import { circuitsOf } from "./real-proofs.ts";

/** What the options of agents must be. Each throws an OperatorError. */
export const AGENT_CHECKS: readonly ((values: Values) => unknown)[] = [
  checkResource,
  ({ proverAgentProofTypes = [] }) => typesOf(proverAgentProofTypes, { warn() {} }),
  (values) => values.realProofs && circuitsOf(values),
];
