import { isObject } from "../../../json/json-field.ts";
import { type Codec, wrongType } from "../../codecs/json/codec.ts";
import { type Encoder, encoder } from "../../codecs/json/encoder.ts";
import { RpcError } from "../../jsonrpc/errors.ts";
import type { ConfigKey, ConfigValues } from "./config-key.ts";
import { type ConfigKeys, givenConfigSchema, isOf, shownConfigSchema } from "./config-schema.ts";

/** Shown in place of a secret; sent back, it leaves the current value unchanged. */
const REDACTED = "[Redacted]";

/**
 * A partial configuration to be merged. Every unknown key and every broken rule is reported, and a single one rejects
 * the whole call, so that no typo goes unnoticed. Null is not a value.
 */
export function configCodec(api: "node" | "svc", keys: ConfigKeys): Codec<ConfigValues> {
  return {
    schema: givenConfigSchema(api, keys),
    read(value, path, issues) {
      if (!isObject(value)) return wrongType(issues, path, "object", value);
      const read: [string, unknown][] = [];
      for (const [name, given] of Object.entries(value)) {
        const key = keys.get(name);
        if (key === undefined || !isOf(api, key)) {
          issues.push({ text: "Unrecognized key", path: [...path, name] });
          continue;
        }
        if (key.secret && given === REDACTED) continue;
        try {
          read.push([name, key.codec.read(given, [...path, name], issues)]);
        } catch (error) {
          if (!(error instanceof RpcError)) throw error;
          issues.push({ text: error.message, path: [...path, name] });
        }
      }
      return Object.fromEntries(read);
    },
  };
}

/** The set keys of one API; amounts as decimal text, secrets redacted. */
export function configEncoder(api: "node" | "svc", keys: ConfigKeys): Encoder<ConfigValues> {
  const shown = (value: unknown, { secret }: ConfigKey): unknown => {
    if (secret && value !== undefined) return REDACTED;
    return typeof value === "bigint" ? value.toString() : value;
  };
  return encoder(shownConfigSchema(api, keys), (out, values) => {
    const own = [...keys].filter(([, key]) => isOf(api, key));
    out.value(Object.fromEntries(own.map(([name, key]) => [name, shown(values[name], key)])));
  });
}
