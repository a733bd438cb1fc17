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
  "Telemetry",
  "Logging",
] as const;
export type Group = (typeof GROUPS)[number];

/** Who reads an option, and whether this version has it. Options of a part that is not there are refused (absent-parts.ts). */
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
  execution: false,
  mempool: true,
  p2p: false,
  sequencer: true,
  publisher: true,
  validator: false,
  slasher: false,
  sentinel: false,
  prover: false,
  broker: false,
  agent: false,
  bot: true,
  "local network": true,
  deployment: true,
  telemetry: false,
  "test server": false,
} as const satisfies Record<string, boolean>;
export type Subsystem = keyof typeof SUBSYSTEMS;

/** One row of the table of options: everything that parsing, help, documentation and redaction know about it. */
export interface Option<T = unknown, D extends T | undefined = T | undefined> {
  readonly group: Group;
  /** Flags that set it; the first one is shown in the help text, any of them may be given. */
  readonly flags: readonly string[];
  /** Environment variables; later names are read only when the earlier ones are empty. */
  readonly env: readonly string[];
  /** Those of `env` that still work, with a warning. */
  readonly deprecated?: readonly string[];
  readonly kind: Kind<T>;
  /** Undefined: unset. */
  readonly default: D;
  /** One clause for the operator. */
  readonly meaning: string;
  readonly usedBy: Subsystem;
  /** Accepted for compatibility: the subsystem is there and does not read it. */
  readonly unused?: true;
}

type Row<T> = Omit<Option<T>, "default" | "flags" | "env" | "group" | "usedBy"> &
  Partial<Pick<Option<T>, "flags" | "env" | "usedBy">>;

interface Rows {
  /** A row without a default: its value is undefined when nothing is given. */
  optional<T>(row: Row<T>): Option<T, undefined>;
  withDefault<T>(row: Row<T>, value: T): Option<T, T>;
}

/** Makes the rows of one group. */
export function rowsOf(group: Group, usedBy: Subsystem): Rows {
  return {
    optional: (row) => ({ group, usedBy, flags: [], env: [], ...row, default: undefined }),
    withDefault: (row, value) => ({ group, usedBy, flags: [], env: [], ...row, default: value }),
  };
}

/** Why a value changes nothing in this version; undefined where it does change something. */
export function idleReason(option: Option): "not available yet" | "no effect" | undefined {
  if (!SUBSYSTEMS[option.usedBy]) return "not available yet";
  return option.unused ? "no effect" : undefined;
}

/** The value type of a row: never undefined where it has a default. */
export type ValueOf<O> = O extends Option<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;
