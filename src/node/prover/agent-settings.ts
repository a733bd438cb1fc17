import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import type { SimulatedDelay } from "../../prover/agent/simulated-prover.ts";
import { isJobTypeName, JOB_TYPE_NAMES, JOB_TYPES, type JobType } from "../../prover/jobs/job-type.ts";

/**
 * The types that agents take. Unknown names are dropped, as the reference implementation does, unless none would be
 * left: then it throws a ConfigurationError.
 */
export function typesOf(names: readonly string[], log: Pick<NodeLogger, "warn">): JobType[] {
  const known = names.filter(isJobTypeName);
  const unknown = names.filter((name) => !isJobTypeName(name));
  if (unknown.length > 0 && known.length === 0) {
    throw new ConfigurationError(
      `PROVER_AGENT_PROOF_TYPES names no known type (${unknown.join(", ").slice(0, 200)}); known are ${JOB_TYPE_NAMES.join(", ")}`,
    );
  }
  if (unknown.length > 0) log.warn({ unknown }, "proof types that do not exist are ignored: {unknown}");
  return known.map((name) => JOB_TYPES[name]);
}

export function delayOf({ type, ms, factor }: PartValues["agents"]["delay"]): SimulatedDelay {
  return type === "fixed" ? { kind: "fixed", ms } : { kind: "realistic", factor };
}
