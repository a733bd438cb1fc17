import type { Codec } from "../../codecs/json/codec.ts";
import { type JsonSchema, members, named } from "../../codecs/json/json-schema.ts";
import { DECIMAL, ETH_ADDRESS, FIELD, L2_ADDRESS, SELECTOR } from "../../codecs/json/scalars.ts";
import type { ConfigKey } from "./config-key.ts";

type Api = "node" | "svc";
export type ConfigKeys = ReadonlyMap<string, ConfigKey>;

/** Whether an API has the key. */
export const isOf = (api: Api, { only = api }: ConfigKey): boolean => only === api;

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

const TITLES: Readonly<Record<Api, string>> = { node: "ReleaseNodeAdminConfig", svc: "NodeAdminConfig" };

function schemasOf(
  api: Api,
  keys: ConfigKeys,
  form: (codec: Codec<unknown>) => JsonSchema,
): Record<string, JsonSchema> {
  const own = [...keys].filter(([, key]) => isOf(api, key));
  return Object.fromEntries(own.map(([name, { codec }]) => [name, form(codec)]));
}

/** Schema of what getConfig answers. */
export function shownConfigSchema(api: Api, keys: ConfigKeys): JsonSchema {
  const description = "The running configuration, by key; what is not set is absent, and secrets are [Redacted].";
  const schemas = schemasOf(api, keys, (codec) => shownForm(codec.schema ?? {}));
  return named(TITLES[api], description, members({}, schemas));
}

/** Schema of what setConfig accepts. */
export function givenConfigSchema(api: Api, keys: ConfigKeys): JsonSchema {
  const schemas = schemasOf(api, keys, (codec) => codec.schema ?? {});
  return named(`${TITLES[api]}Change`, "Keys of the configuration and their new values.", members({}, schemas));
}
