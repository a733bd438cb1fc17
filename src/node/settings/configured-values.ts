import type { Values } from "../../config/options.ts";
import { Secret } from "../../config/secret.ts";
import { toHex } from "../../protocol/bytes.ts";
import { CONFIG_KEYS, type ConfigKeyName, type ConfigValues } from "../../rpc/admin/config/config-keys.ts";

/** Converts an option's value to the format of the admin configuration: secrets unwrapped, L2 addresses as text. */
function plain(value: unknown): unknown {
  if (value instanceof Secret) return plain(value.reveal());
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/**
 * The options that are also keys of the admin configuration, under the same names. The validator runs only with the
 * sequencer.
 */
export function configuredValues(values: Values): ConfigValues {
  const names = Object.keys(CONFIG_KEYS) as ConfigKeyName[];
  const options: Readonly<Record<string, unknown>> = values;
  const shared = names.filter((name) => options[name] !== undefined).map((name) => [name, plain(options[name])]);
  return { ...Object.fromEntries(shared), disableValidator: values.disableValidator || !values.sequencer };
}
