import type { MessagePort } from "node:worker_threads";
import type { NodeServices } from "../methods/services.ts";
import { type CallableMethods, RemoteCalls, type RemoteCallsOptions } from "./call-port.ts";

/**
 * What the methods ask of services that live on the node's thread. Everything else that they read is in the store, which each thread
 * opens for itself.
 */
export const REMOTE_METHODS = {
  status: ["ready"],
  fees: ["currentMinFees", "predictedMinFees"],
  outbox: ["root"],
  mempool: ["submit", "status", "get", "list", "count", "maxPriorityFees"],
  txValidator: ["validate"],
  simulator: ["simulate"],
  p2p: ["enr", "peers", "attestations", "proposals"],
  validatorStats: ["all", "of"],
  signatures: ["register"],
} as const satisfies { readonly [S in keyof NodeServices]?: readonly (keyof NodeServices[S])[] };

type Remote = {
  [S in keyof typeof REMOTE_METHODS]: Pick<NodeServices[S], (typeof REMOTE_METHODS)[S][number] & keyof NodeServices[S]>;
};

/** The services of the node's thread, asked through a port. */
export function remoteServices(port: MessagePort, options: RemoteCallsOptions): Remote {
  const calls = new RemoteCalls(port, options);
  const methods: CallableMethods = REMOTE_METHODS;
  const services = Object.keys(methods).map((name) => [name, calls.service(name, methods[name])]);
  // The services' own types say Eventually or Promise for each of these methods.
  return Object.fromEntries(services) as unknown as Remote;
}
