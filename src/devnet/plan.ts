import { DevnetError } from "./errors.ts";

/** Flags of the command as they were given. */
export interface DevnetFlags {
  validators?: string;
  leave?: string;
  followers?: string;
  prover?: true;
  behindHaproxy?: true;
  fast?: true;
  basePort?: string;
  dataDirectory?: string;
}

/** What a network consists of. Stays the same for the life of its folder. */
export interface DevnetPlan {
  /** Nodes with one validator each. */
  validators: number;
  /** Validators of the committee whose nodes are started by somebody else. */
  leave: number;
  /** Nodes that follow the first two validators. */
  followers: number;
  /** Whether a prover node, a broker and an agent prove epochs. */
  prover: boolean;
  haproxy: boolean;
  /** Whether slots are as short as the contracts and the timetable of a slot permit. */
  fast: boolean;
}

export type Role =
  | "L1"
  | "bootnode"
  | "validator"
  | "prover broker"
  | "prover node"
  | "prover agent"
  | "follower"
  | "HAProxy";

/** A process of the network. Each port is on loopback. */
export interface PlannedNode {
  readonly name: string;
  readonly role: Role;
  /** First of PORTS_PER_NODE ports. */
  readonly port: number;
}

const PORTS_PER_NODE = 5;
/** Offsets from the first port of a node. */
export const PORT_OF = { rpc: 0, admin: 1, metrics: 2, p2p: 3, feed: 4, page: 4 } as const;

const MAX_VALIDATORS = 16;
const MAX_FOLLOWERS = 8;
const MIN_BASE_PORT = 1024;
const MAX_PORT = 65_535;

const DEFAULTS: DevnetPlan = { validators: 4, leave: 0, followers: 0, prover: false, haproxy: false, fast: false };

/** Names of the flags, for errors. */
const FLAG_OF: { readonly [K in keyof DevnetPlan]: string } = {
  validators: "--validators",
  leave: "--leave",
  followers: "--followers",
  prover: "--prover",
  haproxy: "--behind-haproxy",
  fast: "--fast",
};

type Faults = string[];

function whole(flag: string, text: string | undefined, [min, max]: [number, number], faults: Faults) {
  if (text === undefined) return undefined;
  const value = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  faults.push(`${flag} must be a whole number from ${min} to ${max}, not ${JSON.stringify(text.slice(0, 40))}`);
  return undefined;
}

interface DevnetRequest {
  /** What the flags say. */
  given: Partial<DevnetPlan>;
  basePort: number | undefined;
}

/** Reads the flags. Throws a DevnetError that names every wrong one. */
export function devnetRequest(flags: DevnetFlags): DevnetRequest {
  const faults: Faults = [];
  const validators = whole("--validators", flags.validators, [1, MAX_VALIDATORS], faults);
  const leave = whole("--leave", flags.leave, [0, MAX_VALIDATORS], faults);
  const followers = whole("--followers", flags.followers, [0, MAX_FOLLOWERS], faults);
  const basePort = whole("--base-port", flags.basePort, [MIN_BASE_PORT, MAX_PORT], faults);
  if (faults.length > 0) throw new DevnetError(faults.join("; "));
  const all = {
    ...{ validators, leave, followers, prover: flags.prover, haproxy: flags.behindHaproxy, fast: flags.fast },
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return { given, basePort };
}

/** The plan of a new network. Throws a DevnetError. */
export function newPlan(given: Partial<DevnetPlan>): DevnetPlan {
  const plan = { ...DEFAULTS, ...given };
  if (plan.validators + plan.leave > MAX_VALIDATORS) {
    const sum = plan.validators + plan.leave;
    throw new DevnetError(`--validators and --leave must be at most ${MAX_VALIDATORS} together, are ${sum}`);
  }
  return plan;
}

/** Refuses flags that differ from what a network was started with. Throws a DevnetError. */
export function requireSamePlan(given: Partial<DevnetPlan>, kept: DevnetPlan, folder: string): void {
  const faults = (Object.keys(FLAG_OF) as (keyof DevnetPlan)[])
    .filter((key) => given[key] !== undefined && given[key] !== kept[key])
    .map((key) => `${FLAG_OF[key]} (it has ${kept[key]})`);
  if (faults.length === 0) return;
  throw new DevnetError(
    `the network in ${folder} was made without ${faults.join(", ")}: leave them out, or give another --data-directory`,
  );
}

/** The processes of a network in the order in which they are started. */
export function plannedNodes(plan: DevnetPlan, basePort: number): PlannedNode[] {
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);
  const nodes: [string, Role][] = [
    ["l1", "L1"],
    ["bootnode", "bootnode"],
    ...numbered("validator", plan.validators).map((name): [string, Role] => [name, "validator"]),
    ...(plan.prover
      ? ([
          ["broker", "prover broker"],
          ["prover", "prover node"],
          ["agent", "prover agent"],
        ] as [string, Role][])
      : []),
    ...numbered("follower", plan.followers).map((name): [string, Role] => [name, "follower"]),
    ...(plan.haproxy ? ([["haproxy", "HAProxy"]] as [string, Role][]) : []),
  ];
  return nodes.map(([name, role], i) => ({ name, role, port: basePort + i * PORTS_PER_NODE }));
}

/** Names of the validators that are left to others. */
export function leftNames({ leave }: DevnetPlan): string[] {
  return Array.from({ length: leave }, (_, i) => `own-${i + 1}`);
}

/** Members of the committee, and how many of them must attest (docs/protocol/11-consensus.md). */
export function committee({ validators, leave }: DevnetPlan): { size: number; quorum: number } {
  const size = validators + leave;
  return { size, quorum: Math.floor((2 * size) / 3) + 1 };
}

/** Ports of all nodes, with those that are left to others. */
export function portCount(plan: DevnetPlan): number {
  return (plannedNodes(plan, 0).length + plan.leave) * PORTS_PER_NODE;
}

/** First port of a node that is left to others. */
export function leftPort(plan: DevnetPlan, basePort: number, index: number): number {
  return basePort + (plannedNodes(plan, 0).length + index) * PORTS_PER_NODE;
}

/** Refuses a base port after which there are too few ports. Throws a DevnetError. */
export function requireRoom(plan: DevnetPlan, basePort: number): void {
  const last = basePort + portCount(plan) - 1;
  if (last > MAX_PORT) {
    throw new DevnetError(
      `--base-port must be at most ${MAX_PORT - portCount(plan) + 1}: the network takes ${portCount(plan)} ports from it`,
    );
  }
}
