import type { JsonForm, Kind } from "./kinds.ts";

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

/** A place in the values of a part that takes changes while the node runs. */
interface LivePlace<S extends string = string> {
  readonly path: S;
  readonly live: true;
}
/** A place whose value is computed from the option's. */
interface ConvertedPlace<S extends string = string, T = unknown, V = unknown, L extends boolean = boolean> {
  readonly path: S;
  readonly live: L;
  as(value: T): V;
}
/**
 * Where a part of the node finds an option: `part.group.name` means `values.group.name` for that part. A text is a
 * place that is read at the start only.
 */
export type Place = string | LivePlace | ConvertedPlace;

/**
 * A place in the values of a part that takes changes while the node runs; `as` computes its value from the option's.
 */
export function live<const S extends string>(path: S): LivePlace<S>;
export function live<const S extends string, T, V>(path: S, as: (value: T) => V): ConvertedPlace<S, T, V, true>;
export function live(path: string, as?: (value: unknown) => unknown): Place {
  return as === undefined ? { path, live: true } : { path, live: true, as };
}

/** A place in the values of a part, where the value is computed from the option's. */
export function converted<const S extends string, T, V>(path: S, as: (value: T) => V): ConvertedPlace<S, T, V, false> {
  return { path, live: false, as };
}

/** A boolean option whose part asks the opposite. */
export const not = (value: boolean): boolean => !value;

/** Why some keys of the admin API cannot be changed at run time. */
export const UNREAD = "is read by no part of this version";
export const NEVER_UNCHECKED = "this node attests only to what it checked, and once in a slot";

/** How an option appears in the configuration of the admin API, under its own name. */
export interface AdminKey {
  /** The only generation of the API with this key; absent: both have it. */
  readonly only?: "node" | "svc";
  /** Absent: that of the option's kind. */
  readonly form?: JsonForm;
  /** Shown when the option has no value. */
  readonly default?: unknown;
  /** Why it cannot be changed at run time, if not because it is read at the start only. */
  readonly refused?: string;
}

/** One row of the table of options: the single source for parsing, help, documentation and redaction. */
export interface Option<
  T = unknown,
  D extends T | undefined = T | undefined,
  P extends readonly Place[] = readonly Place[],
> {
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
  /** Where the parts of a node find the value (part-values.ts). */
  readonly to: P;
  /** Absent: the admin API does not know the option. */
  readonly admin?: AdminKey;
  /** Accepted for compatibility only: the subsystem exists but does not read the option. */
  readonly unused?: true;
  /** Why no value but the default is taken; one clause for the operator. */
  readonly refused?: string;
}

/** Options by name. */
export type OptionTable = Readonly<Record<string, Option>>;

type Row<T, P> = Omit<Option<T>, "default" | "flags" | "env" | "group" | "usedBy" | "to"> &
  Partial<Pick<Option<T>, "flags" | "env" | "usedBy">> & { readonly to?: P };

interface Rows {
  /** A row without a default: the value is undefined if not given. */
  optional<T, const P extends readonly Place[] = readonly []>(row: Row<T, P>): Option<T, undefined, P>;
  withDefault<T, const P extends readonly Place[] = readonly []>(row: Row<T, P>, value: T): Option<T, T, P>;
}

/** Constructors for the rows of one group. */
export function rowsOf(group: Group, usedBy: Subsystem): Rows {
  const row = <T, D extends T | undefined, P extends readonly Place[]>(
    { to = [] as readonly Place[] as P, ...rest }: Row<T, P>,
    value: D,
  ): Option<T, D, P> => ({ group, usedBy, flags: [], env: [], ...rest, to, default: value });
  return {
    optional: (given) => row(given, undefined),
    withDefault: (given, value) => row(given, value),
  };
}

/** Why the option has no effect in this version; undefined if it has one. */
export function idleReason(option: Option): "not available yet" | "no effect" | "refused" | undefined {
  if (!SUBSYSTEMS[option.usedBy]) return "not available yet";
  if (option.refused !== undefined) return "refused";
  return option.unused ? "no effect" : undefined;
}

/** The value type of a row: never undefined where it has a default. */
export type ValueOf<O> = O extends { kind: Kind<infer T>; default: infer D }
  ? undefined extends D
    ? T | undefined
    : T
  : never;

/** The values of a table, by the options' names. */
export type ValuesOf<R> = { readonly [K in keyof R]: ValueOf<R[K]> };
