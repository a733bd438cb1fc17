import { randomInt } from "node:crypto";
import { bindFault } from "../http/bind-fault.ts";
import { DevnetError } from "./errors.ts";
import { type DevnetPlan, type PlannedNode, PORT_OF, plannedNodes, portCount, type Role, requireRoom } from "./plan.ts";

const LOOPBACK = "127.0.0.1";
/** Below the ports that systems give to outgoing connections. */
const FREE_PORTS = [12_000, 31_000] as const;
const MAX_TRIES = 50;

type PortUse = keyof typeof PORT_OF;

const USES: Readonly<Record<Role, readonly PortUse[]>> = {
  // The page of the network is at a port that L1 does not need.
  L1: ["rpc", "page"],
  bootnode: ["rpc", "p2p"],
  validator: ["rpc", "admin", "metrics", "p2p", "feed"],
  "prover broker": ["rpc", "metrics"],
  "prover node": ["rpc", "admin", "metrics", "p2p"],
  "prover agent": ["rpc", "metrics"],
  follower: ["rpc", "admin", "metrics"],
  HAProxy: ["rpc"],
};

export function hasPort({ role }: Pick<PlannedNode, "role">, use: PortUse): boolean {
  return USES[role].includes(use);
}

/** The first port of a network's nodes that is taken; undefined if there is none. */
async function takenPort(nodes: readonly PlannedNode[]): Promise<string | undefined> {
  for (const node of nodes) {
    for (const use of USES[node.role]) {
      const port = node.port + PORT_OF[use];
      const fault = await bindFault(LOOPBACK, port);
      if (fault !== undefined) return `port ${port}, the ${use} port of ${node.name}, cannot be used (${fault})`;
    }
  }
  return undefined;
}

/** Checks the ports from `basePort` on. Throws a DevnetError that names the port, its node and its use. */
export async function requireFreePorts(plan: DevnetPlan, basePort: number): Promise<void> {
  requireRoom(plan, basePort);
  const taken = await takenPort(plannedNodes(plan, basePort));
  if (taken !== undefined) throw new DevnetError(`${taken}: end what uses it, or choose others with --base-port`);
}

/** The first of as many free ports in a row as the network takes. Throws a DevnetError. */
export async function freeBasePort(plan: DevnetPlan): Promise<number> {
  const [from, to] = FREE_PORTS;
  for (let i = 0; i < MAX_TRIES; i++) {
    const basePort = randomInt(from, to - portCount(plan));
    if ((await takenPort(plannedNodes(plan, basePort))) === undefined) return basePort;
  }
  throw new DevnetError(`no ${portCount(plan)} free ports in a row were found: choose them with --base-port`);
}
