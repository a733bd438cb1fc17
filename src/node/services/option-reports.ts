import { type Configuration, shownValue } from "../../config/configuration.ts";
import { shownOrigin } from "../../config/errors.ts";
import { idleReason, type Option } from "../../config/kinds/option.ts";
import { OPTION_KEYS, OPTIONS, type Values } from "../../config/options.ts";
import type { OptionReport } from "../../rpc/admin/ports/node-reports.ts";

/**
 * The options that have an effect, with the values in force at the start. `configured` is what the operator and the
 * network gave; a value that differs was set by the local network.
 */
export function optionReports(
  values: Values,
  configured: Pick<Configuration, "values" | "origins"> | undefined,
): OptionReport[] {
  return OPTION_KEYS.filter((key) => idleReason(OPTIONS[key] as Option) === undefined).map((key) => {
    const { group, flags, env, meaning } = OPTIONS[key] as Option;
    const value = shownValue(key, values);
    const isGiven = configured !== undefined && shownValue(key, configured.values) === value;
    const origin = isGiven ? shownOrigin(configured.origins[key]) : "local network";
    return { name: key, group, flag: flags[0], variable: env[0], value, origin, meaning };
  });
}
