import { MissingOptionError } from "../config/errors.ts";
import type { Mode } from "./mode.ts";

/** Takes jobs from a proving broker, and nothing else. */
export const proverAgentMode: Mode = {
  name: "prover-agent",
  selected: ({ proverAgent }) => proverAgent,
  savesMemory: () => true,
  async run({ values, warnings }, version) {
    const { proverBrokerUrl } = values;
    if (proverBrokerUrl === undefined) {
      throw new MissingOptionError(
        "proverBrokerUrl",
        "Agents get their jobs from a broker: give --proverAgent.proverBrokerUrl or PROVER_BROKER_HOST",
      );
    }
    const { runAgents } = await import("../node/agents/run-agents.ts");
    return runAgents({ ...values, proverBrokerUrl }, version, warnings);
  },
};
