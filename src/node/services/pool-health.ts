import type { ProofVerifier } from "../../mempool/proofs/proof-verifier.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";

/** Whether transactions can be taken. `permitted` says whether the options allow it. */
export function poolHealth(proofs: Pick<ProofVerifier, "missing">, permitted: () => boolean): HealthProbe {
  return {
    name: "transactions",
    read() {
      if (!permitted()) return { state: "off", reason: "transactions are disabled" };
      return proofs.missing ? { state: "failed", reason: "no program checks proofs" } : HEALTHY;
    },
  };
}
