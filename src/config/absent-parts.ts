import type { Configuration } from "./configuration.ts";
import { ConfigurationError } from "./errors.ts";
import { type Option, SUBSYSTEMS, type Subsystem } from "./option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";

/** Options were given that configure parts not available in this version. */
export class AbsentPartError extends ConfigurationError {
  /** Flags (with dashes) and variables, as given. */
  readonly names: readonly string[];

  constructor(needed: ReadonlyMap<Subsystem, readonly string[]>) {
    const clauses = [...needed].map(([part, names]) => `${names.join(", ")} (${part})`);
    super(`not available in this version: ${clauses.join("; ")}`);
    this.name = "AbsentPartError";
    this.names = [...needed.values()].flat();
  }
}

/** Whether the value differs from the default. */
function differsFromDefault(key: OptionKey, values: Values): boolean {
  const { kind, default: defaultValue }: Option = OPTIONS[key] as Option;
  return defaultValue === undefined || kind.show(values[key]) !== kind.show(defaultValue);
}

/**
 * Refuses flags and variables that set an option of an unavailable part (SUBSYSTEMS) to a value other than its default.
 * Values from the network file or a preset are ignored, because those apply to all nodes of the network. Throws an
 * AbsentPartError that lists all refused flags and variables.
 */
export function refuseAbsentParts({ values, origins }: Pick<Configuration, "values" | "origins">): void {
  const needed = new Map<Subsystem, string[]>();
  for (const key of OPTION_KEYS) {
    const { usedBy }: Option = OPTIONS[key] as Option;
    const origin = origins[key];
    const setByOperator = origin.kind === "flag" || origin.kind === "environment";
    if (SUBSYSTEMS[usedBy] || !setByOperator || !differsFromDefault(key, values)) continue;
    needed.set(usedBy, [...(needed.get(usedBy) ?? []), origin.name]);
  }
  if (needed.size > 0) throw new AbsentPartError(needed);
}
