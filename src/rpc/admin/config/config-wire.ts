import { type Codec, isObject, wrongType } from "../../codecs/json/codec.ts";
import { type Encoder, encoder } from "../../codecs/json/encoder.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import { CONFIG_KEYS, type ConfigKey, type ConfigKeyName, type ConfigValues, configKeysOf } from "./config-keys.ts";
import { givenConfigSchema, shownConfigSchema } from "./config-schema.ts";

/** Shown in place of a secret; sent back, it leaves the current value unchanged. */
const REDACTED = "[Redacted]";

/**
 * A partial configuration to be merged. Every unknown key and every broken rule is reported, and a single one rejects
 * the whole call, so that no typo goes unnoticed. Null is not a value.
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

/** The set keys of one generation; amounts as decimal text, secrets redacted. */
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
