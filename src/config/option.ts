import type { Kind } from "./kinds.ts";

/** Headings of the help text and of docs/configuration.md, in their order. */
export const GROUPS = ["Modes", "General", "RPC", "L1", "Storage", "Archiver", "Genesis", "Logging"] as const;
export type Group = (typeof GROUPS)[number];

/** One row of the table of options: everything that parsing, help, documentation and redaction know about it. */
export interface Option<T = unknown, D extends T | undefined = T | undefined> {
  readonly group: Group;
  /** Flags that set it; the first one is shown. */
  readonly flags: readonly string[];
  /** Environment variables; later names are read only when the earlier ones are empty. */
  readonly env: readonly string[];
  readonly kind: Kind<T>;
  /** Undefined: unset. */
  readonly default: D;
  /** One clause for the operator. */
  readonly meaning: string;
  /** Accepted for compatibility, without effect so far. */
  readonly unused?: true;
}

type Row<T> = Omit<Option<T>, "default" | "flags" | "env"> & Partial<Pick<Option<T>, "flags" | "env">>;

/** A row without a default: its value is undefined when nothing is given. */
export function optional<T>(row: Row<T>): Option<T, undefined> {
  return { flags: [], env: [], ...row, default: undefined };
}

export function withDefault<T>(row: Row<T>, value: T): Option<T, T> {
  return { flags: [], env: [], ...row, default: value };
}

/** The value type of a row: never undefined where it has a default. */
export type ValueOf<O> = O extends Option<infer T, infer D> ? (undefined extends D ? T | undefined : T) : never;
