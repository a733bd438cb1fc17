import type { Mode } from "./mode.ts";

/** Keeps proving jobs for prover nodes and agents. */
export const proverBrokerMode: Mode = {
  name: "prover broker",
  selected: ({ proverBroker }) => proverBroker,
  savesMemory: () => true,
  checks: () => [],
  async run({ values, warnings }, version) {
    const { runBroker } = await import("../node/broker/run-broker.ts");
    return runBroker(values, version, warnings);
  },
};
