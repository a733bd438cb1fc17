import { ProvingRefusedError } from "../../prover/node/errors.ts";
import type { ProverNode } from "../../prover/node/prover-node.ts";
import { ExecutionError } from "../../rpc/jsonrpc/errors.ts";
import type { EpochProving } from "../../rpc/ports/epoch-prover.ts";

/** The prover for the JSON-RPC methods. */
export function epochProving(node: Pick<ProverNode, "jobs" | "startProof">): EpochProving {
  return {
    jobs: () => node.jobs(),
    startProof: (epoch) =>
      node.startProof(epoch).catch((error: unknown) => {
        throw error instanceof ProvingRefusedError ? new ExecutionError(error.message) : error;
      }),
  };
}
