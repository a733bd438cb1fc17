import type { Kind } from "./kinds.ts";

/** Headings of the help text and of docs/configuration.md, in their order. */
export const GROUPS = [
  "Modes",
  "General",
  "RPC",
  "Admin RPC",
  "L1",
  "L1 transactions",
  "Storage",
  "World state",
  "Archiver",
  "Genesis",
  "Followers",
  "Mempool",
  "P2P",
  "Tx collection",
  "Sequencer",
  "Validator",
  "High-availability signing",
  "Slasher",
  "Sentinel",
  "Prover",
  "Proving broker",
  "Proving agents",
  "Bot",
  "Local network",
  "Deployment",
  "Execution",
  "Metrics",
  "Telemetry",
  "Logging",
] as const;
export type Group = (typeof GROUPS)[number];

/**
 * Parts of the node that read options, and whether this version has them. Options of missing parts are refused
 * (absent-parts.ts).
 */
export const SUBSYSTEMS = {
  process: true,
  network: true,
  rpc: true,
  admin: true,
  l1: true,
  storage: true,
  archiver: true,
  "standalone archiver": false,
  "world state": true,
  snapshots: true,
  follower: true,
  feed: true,
  execution: false,
  mempool: true,
  discovery: true,
  p2p: true,
  sequencer: true,
  publisher: true,
  validator: true,
  "signing group": true,
  slasher: true,
  sentinel: true,
  prover: true,
  broker: true,
  agent: true,
  bot: true,
  "local network": true,
  deployment: true,
  metrics: true,
  telemetry: true,
  "test server": false,
} as const satisfies Record<string, boolean>;
export type Subsystem = keyof typeof SUBSYSTEMS;

/** One row of the table of options: the single source for parsing, help, documentation and redaction. */
export interface Option<T = unknown, D extends T | undefined = T | undefined> {
  readonly group: Group;
  /** Flags that set the option. The first is shown in the help; the others are aliases. */
  readonly flags: readonly string[];
  /** Environment variables; a later one is read only if the earlier ones are empty. */
  readonly env: readonly string[];
  /** Names in `env` that still work but cause a warning. */
  readonly deprecated?: readonly string[];
  readonly kind: Kind<T>;
  /** Undefined means unset. */
  readonly default: D;
  /** One clause for the operator. */
  readonly meaning: string;
  readonly usedBy: Subsystem;
  /** Accepted for compatibility only: the subsystem exists but does not read the option. */
  readonly unused?: true;
  /** Why no value but the default is taken; one clause for the operator. */
  readonly refused?: string;
}

type Row<T> = Omit<Option<T>, "default" | "flags" | "env" | "group" | "usedBy"> &
  Partial<Pick<Option<T>, "flags" | "env" | "usedBy">>;

interface Rows {
  /** A row without a default: the value is undefined if not given. */
  optional<T>(row: Row<T>): Option<T, undefined>;
  withDefault<T>(row: Row<T>, value: T): Option<T, T>;
}

/** Constructors for the rows of one group. */
export function rowsOf(group: Group, usedBy: Subsystem): Rows {
  return {
    optional: (row) => ({ group, usedBy, flags: [], env: [], ...row, default: undefined }),
    withDefault: (row, value) => ({ group, usedBy, flags: [], env: [], ...row, default: value }),
  };
}

/** Why the option has no effect in this version; undefined if it has one. */
export function idleReason(option: Option): "not available yet" | "no effect" | "refused" | undefined {
  if (!SUBSYSTEMS[option.usedBy]) return "not available yet";
  if (option.refused !== undefined) return "refused";
  return option.unused ? "no effect" : undefined;
}

/** The value type of a row: never undefined where it has a default. */
export type ValueOf<O> = O extends Option<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;
