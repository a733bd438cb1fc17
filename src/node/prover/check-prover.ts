import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";

/** Throws a ConfigurationError for settings that cannot work. */
export function checkProver(values: PartValues): void {
  if (values.proofs.real && values.broker.url === undefined) {
    throw new ConfigurationError(
      "with real proofs a prover node needs a broker that other agents reach, since none of its own proves PUBLIC_VM: give PROVER_BROKER_HOST, or PROVER_REAL_PROOFS=false",
    );
  }
  if (values.agents.count === 0 && values.broker.url === undefined) {
    throw new ConfigurationError("a prover node without agents of its own needs a broker: give PROVER_BROKER_HOST");
  }
}
