import type { Configuration } from "./configuration.ts";
import { ConfigurationError, isSetByOperator } from "./errors.ts";
import { type Option, SUBSYSTEMS, type Subsystem } from "./kinds/option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";

/** Options were given that configure parts not available in this version. */
class AbsentPartError extends ConfigurationError {
  /** Flags (with dashes) and variables, as given. */
  readonly names: readonly string[];

  constructor(needed: ReadonlyMap<Subsystem, readonly string[]>) {
    const clauses = [...needed].map(([part, names]) => `${names.join(", ")} (${part})`);
    super(`not available in this version: ${clauses.join("; ")}`);
    this.name = "AbsentPartError";
    this.names = [...needed.values()].flat();
  }
}

/** Options were given that this node refuses, each with the reason. */
class RefusedOptionError extends ConfigurationError {
  /** Flags (with dashes) and variables, as given. */
  readonly names: readonly string[];

  constructor(refused: readonly { name: string; reason: string }[]) {
    super(refused.map(({ name, reason }) => `${name} cannot be set: ${reason}`).join("; "));
    this.name = "RefusedOptionError";
    this.names = refused.map(({ name }) => name);
  }
}

/** Whether the value differs from the default. */
function differsFromDefault(key: OptionKey, values: Values): boolean {
  const { kind, default: defaultValue }: Option = OPTIONS[key] as Option;
  return defaultValue === undefined || kind.show(values[key]) !== kind.show(defaultValue);
}

/**
 * Refuses flags and variables that set an option of an unavailable part (SUBSYSTEMS), or one that is refused for
 * another reason, to a value other than its default. Values from the network file or a preset are ignored, because
 * those apply to all nodes of the network. Throws an AbsentPartError or a RefusedOptionError that lists all refused
 * flags and variables.
 */
export function refuseAbsentParts({ values, origins }: Pick<Configuration, "values" | "origins">): void {
  const needed = new Map<Subsystem, string[]>();
  const refused: { name: string; reason: string }[] = [];
  for (const key of OPTION_KEYS) {
    const { usedBy, refused: reason }: Option = OPTIONS[key] as Option;
    const origin = origins[key];
    if (!isSetByOperator(origin) || !("name" in origin) || !differsFromDefault(key, values)) continue;
    if (reason !== undefined) refused.push({ name: origin.name, reason });
    if (SUBSYSTEMS[usedBy]) continue;
    needed.set(usedBy, [...(needed.get(usedBy) ?? []), origin.name]);
  }
  if (needed.size > 0) throw new AbsentPartError(needed);
  if (refused.length > 0) throw new RefusedOptionError(refused);
}
