import { type AdminValues, adminRows } from "../../config/admin-keys.ts";
import type { OptionTable } from "../../config/kinds/option.ts";
import { Secret } from "../../config/kinds/secret.ts";
import type { Values } from "../../config/options.ts";
import { toHex } from "../../protocol/bytes.ts";

/** Converts an option's value to the format of the admin configuration: secrets unwrapped, L2 addresses as text. */
function plain(value: unknown): unknown {
  if (value instanceof Secret) return plain(value.reveal());
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** The configuration of the admin API as the options give it. The validator runs only with the sequencer. */
export function adminValues(values: Values, table?: OptionTable): AdminValues {
  const options: Readonly<Record<string, unknown>> = values;
  const all = [...adminRows(table)].map(([name, { admin }]) => [name, plain(options[name]) ?? admin.default]);
  const given = Object.fromEntries(all.filter(([, value]) => value !== undefined));
  return { ...given, disableValidator: values.disableValidator || !values.sequencer };
}
