import type { Configuration } from "./configuration.ts";
import { ConfigurationError } from "./errors.ts";
import { type Option, SUBSYSTEMS, type Subsystem } from "./option.ts";
import { OPTION_KEYS, OPTIONS, type OptionKey, type Values } from "./options.ts";

/** Options were given that need parts which this version does not have. */
export class AbsentPartError extends ConfigurationError {
  /** As given: flags with dashes, variables by name. */
  readonly names: readonly string[];

  constructor(needed: ReadonlyMap<Subsystem, readonly string[]>) {
    const clauses = [...needed].map(([part, names]) => `${names.join(", ")} (${part})`);
    super(`not available in this version: ${clauses.join("; ")}`);
    this.name = "AbsentPartError";
    this.names = [...needed.values()].flat();
  }
}

/** Whether the value is another than the one without which nothing would be different. */
function asksForSomething(key: OptionKey, values: Values): boolean {
  const { kind, default: usual }: Option = OPTIONS[key] as Option;
  return usual === undefined || kind.show(values[key]) !== kind.show(usual);
}

/**
 * The one rule for options of parts that this version does not have (SUBSYSTEMS): a flag or variable that gives one a value other than
 * its default is refused. What a network's file or preset sets is left aside: it is meant for all nodes of the network. Throws an
 * AbsentPartError that names all of them.
 */
export function refuseAbsentParts({ values, origins }: Pick<Configuration, "values" | "origins">): void {
  const needed = new Map<Subsystem, string[]>();
  for (const key of OPTION_KEYS) {
    const { usedBy }: Option = OPTIONS[key] as Option;
    const origin = origins[key];
    const byHand = origin.kind === "flag" || origin.kind === "environment";
    if (SUBSYSTEMS[usedBy] || !byHand || !asksForSomething(key, values)) continue;
    needed.set(usedBy, [...(needed.get(usedBy) ?? []), origin.name]);
  }
  if (needed.size > 0) throw new AbsentPartError(needed);
}
