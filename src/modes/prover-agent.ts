import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import type { Mode } from "./mode.ts";

function withBroker(values: Values): Values & { proverBrokerUrl: string } {
  const { proverBrokerUrl } = values;
  if (proverBrokerUrl === undefined) {
    throw new MissingOptionError(
      "proverBrokerUrl",
      "Agents get their jobs from a broker: give --proverAgent.proverBrokerUrl or PROVER_BROKER_HOST",
    );
  }
  return { ...values, proverBrokerUrl };
}

/** Takes jobs from a proving broker, and nothing else. */
export const proverAgentMode: Mode = {
  name: "prover-agent",
  selected: ({ proverAgent }) => proverAgent,
  savesMemory: () => true,
  async checks() {
    const { AGENT_CHECKS } = await import("../node/agents/start-checks.ts");
    return [withBroker, ...AGENT_CHECKS];
  },
  async run({ values, warnings }, version) {
    const agentValues = withBroker(values);
    const { runAgents } = await import("../node/agents/run-agents.ts");
    return runAgents(agentValues, version, warnings);
  },
};
