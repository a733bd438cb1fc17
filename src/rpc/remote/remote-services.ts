import type { LongCalls } from "../calls/long-calls.ts";
import type { NodeHealth } from "../ports/node-health.ts";
import type { NodeServices } from "../ports/node-services.ts";
import type { CallableMethods, RemoteCalls } from "./call-port.ts";

/**
 * What the methods ask of services that live on the node's thread. Everything else that they read is in the store,
 * which each thread opens for itself.
 */
export const REMOTE_METHODS = {
  status: ["ready", "txGasLimits"],
  fees: ["currentMinFees", "predictedMinFees"],
  outbox: ["roots"],
  mempool: ["submit", "status", "get", "list", "count", "maxPriorityFees"],
  txValidator: ["validate"],
  simulator: ["simulate"],
  p2p: ["enr", "peers", "attestations", "proposals"],
  validatorStats: ["all", "of"],
  signatures: ["register"],
  setup: ["allowed"],
  prover: ["jobs", "startProof"],
  jobSource: ["next", "progress", "succeed", "fail"],
} as const satisfies { readonly [S in keyof NodeServices]?: readonly (keyof NodeServices[S])[] };

type Remote = {
  [S in keyof typeof REMOTE_METHODS]: Pick<NodeServices[S], (typeof REMOTE_METHODS)[S][number] & keyof NodeServices[S]>;
};

/** Beside the services: the threads for long calls are started by the node's thread. */
export const REMOTE_LONG_CALLS = { longCalls: ["answer"] } as const satisfies {
  longCalls: readonly (keyof LongCalls)[];
};

export const REMOTE_HEALTH = { health: ["report"] } as const satisfies { health: readonly (keyof NodeHealth)[] };

export function remoteHealth(calls: RemoteCalls): NodeHealth {
  return { report: () => calls.call("health", "report", []) as ReturnType<NodeHealth["report"]> };
}

export function remoteLongCalls(calls: RemoteCalls): LongCalls {
  return {
    answer: (body, client, signal) =>
      // What crosses threads has a signal as its last argument or none.
      calls.call("longCalls", "answer", signal === undefined ? [body, client] : [body, client, signal]) as ReturnType<
        LongCalls["answer"]
      >,
  };
}

/** The services of the node's thread. */
export function remoteServices(calls: RemoteCalls): Remote {
  const methods: CallableMethods = REMOTE_METHODS;
  const services = Object.keys(methods).map((name) => [name, calls.service(name, methods[name])]);
  // The services' own types say Eventually or Promise for each of these methods.
  return Object.fromEntries(services) as unknown as Remote;
}
