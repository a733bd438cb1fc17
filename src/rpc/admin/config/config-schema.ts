import type { Codec } from "../../codecs/json/codec.ts";
import { type JsonSchema, members, named } from "../../codecs/json/json-schema.ts";
import { DECIMAL, ETH_ADDRESS, FIELD, L2_ADDRESS, SELECTOR } from "../../codecs/json/scalars.ts";
import { CONFIG_KEYS, type ConfigKey, configKeysOf } from "./config-keys.ts";

type Generation = "node" | "svc";

/** Schemas of answers, by the title of the matching input schema. */
const SHOWN: Readonly<Record<string, JsonSchema>> = {
  AmountInput: DECIMAL,
  EthAddressInput: ETH_ADDRESS,
  FieldInput: FIELD,
  ReleaseFieldInput: FIELD,
  L2AddressInput: L2_ADDRESS,
  ReleaseL2AddressInput: L2_ADDRESS,
  FunctionSelectorInput: SELECTOR,
};

/** The answer's form of a value that is accepted in several forms. */
function shownForm(schema: JsonSchema): JsonSchema {
  const { title, items, properties, anyOf } = schema;
  if (typeof title === "string" && title in SHOWN) return SHOWN[title];
  if (items !== undefined) return { ...schema, items: shownForm(items as JsonSchema) };
  if (properties !== undefined) {
    const { title: _, ...rest } = schema;
    const entries = Object.entries(properties as Record<string, JsonSchema>);
    const shown = Object.fromEntries(entries.map(([key, value]) => [key, shownForm(value)]));
    return { ...rest, properties: shown, additionalProperties: false };
  }
  // A number that may also be sent as text.
  if (Array.isArray(anyOf)) return anyOf[0] as JsonSchema;
  return schema;
}

const TITLES: Readonly<Record<Generation, string>> = { node: "ReleaseNodeAdminConfig", svc: "NodeAdminConfig" };

function schemasOf(generation: Generation, form: (codec: Codec<unknown>) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    configKeysOf(generation).map((name) => [name, form((CONFIG_KEYS[name] as ConfigKey).codec)]),
  );
}

/** Schema of what getConfig answers. */
export function shownConfigSchema(generation: Generation): JsonSchema {
  const description = "The running configuration, by key; what is not set is absent, and secrets are [Redacted].";
  const keys = schemasOf(generation, (codec) => shownForm(codec.schema ?? {}));
  return named(TITLES[generation], description, members({}, keys));
}

/** Schema of what setConfig accepts. */
export function givenConfigSchema(generation: Generation): JsonSchema {
  const keys = schemasOf(generation, (codec) => codec.schema ?? {});
  return named(`${TITLES[generation]}Change`, "Keys of the configuration and their new values.", members({}, keys));
}
