import type { Values } from "../../config/options.ts";
import { Secret } from "../../config/secret.ts";
import { toHex } from "../../protocol/bytes.ts";
import { CONFIG_KEYS, type ConfigKeyName, type ConfigValues } from "../../rpc/admin/config-keys.ts";

/** Values of options and of the admin configuration differ in form only: secrets are wrapped, L2 addresses are bytes. */
function plain(value: unknown): unknown {
  if (value instanceof Secret) return plain(value.reveal());
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

/** What the options say about keys of the admin configuration: they share their names. The validator runs with the sequencer only. */
export function configuredValues(values: Values): ConfigValues {
  const names = Object.keys(CONFIG_KEYS) as ConfigKeyName[];
  const options: Readonly<Record<string, unknown>> = values;
  const shared = names.filter((name) => options[name] !== undefined).map((name) => [name, plain(options[name])]);
  return { ...Object.fromEntries(shared), disableValidator: values.disableValidator || !values.sequencer };
}
