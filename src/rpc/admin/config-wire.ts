import { type Encoder, encoder } from "../encoding/encoder.ts";
import { RpcError } from "../jsonrpc/errors.ts";
import { type Codec, isObject, wrongType } from "../params/codec.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigKeyName, type ConfigValues, configKeysOf } from "./config-keys.ts";
import { givenConfigSchema, shownConfigSchema } from "./config-schema.ts";

/** What stands for the value of a secret; sent back, it means the value that is there. */
const REDACTED = "[Redacted]";

/**
 * Part of the configuration, to be merged. Every unknown key and every value that breaks its rule is named, and one of them refuses the
 * whole, so that no typing error passes for a change. Null is no value.
 */
export function configCodec(generation: "node" | "svc"): Codec<ConfigValues> {
  const names = configKeysOf(generation);
  return {
    schema: givenConfigSchema(generation),
    read(value, path, issues) {
      if (!isObject(value)) return wrongType(issues, path, "object", value);
      const read: [ConfigKeyName, unknown][] = [];
      for (const [name, given] of Object.entries(value)) {
        if (!(names as string[]).includes(name)) {
          issues.push({ text: "Unrecognized key", path: [...path, name] });
          continue;
        }
        const { codec, secret } = CONFIG_KEYS[name as ConfigKeyName] as ConfigKey;
        if (secret && given === REDACTED) continue;
        try {
          read.push([name as ConfigKeyName, codec.read(given, [...path, name], issues)]);
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          issues.push({ text: error.message, path: [...path, name] });
        }
      }
      return Object.fromEntries(read) as ConfigValues;
    },
  };
}

/** The keys of one generation that are set; amounts as decimal text, no secret. */
export function configEncoder(generation: "node" | "svc"): Encoder<ConfigValues> {
  const names = configKeysOf(generation);
  const shown = (name: ConfigKeyName, values: ConfigValues): unknown => {
    const value: unknown = values[name];
    if ((CONFIG_KEYS[name] as ConfigKey).secret && value !== undefined) return REDACTED;
    return typeof value === "bigint" ? value.toString() : value;
  };
  return encoder(shownConfigSchema(generation), (out, values) => {
    out.value(Object.fromEntries(names.map((name) => [name, shown(name, values)])));
  });
}
