import type { ProofVerifier } from "../../mempool/proofs/proof-verifier.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";

/** Whether transactions can be taken. `permitted` says whether the options allow it. */
export function poolHealth(proofs: Pick<ProofVerifier, "missing" | "fault">, permitted: () => boolean): HealthProbe {
  return {
    name: "transactions",
    read() {
      if (!permitted()) return { state: "off", reason: "transactions are disabled" };
      if (proofs.missing) return { state: "failed", reason: "no program checks proofs" };
      // Its words name paths, which are for the log.
      return proofs.fault === undefined
        ? HEALTHY
        : { state: "failed", reason: "the program that checks proofs failed" };
    },
  };
}
