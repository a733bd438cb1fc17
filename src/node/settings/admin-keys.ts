import { adminRows } from "../../config/admin-keys.ts";
import type { JsonForm } from "../../config/kinds/kinds.ts";
import type { OptionTable } from "../../config/kinds/option.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { ConfigKey } from "../../rpc/admin/config/config-key.ts";
import { setupCall } from "../../rpc/admin/config/setup-call.ts";
import { amount } from "../../rpc/codecs/json/big-integer.ts";
import { array, type Codec, converted } from "../../rpc/codecs/json/codec.ts";
import { l2Address } from "../../rpc/codecs/json/field.ts";
import { integer, plainNumber } from "../../rpc/codecs/json/number.ts";
import { boolean, text, word } from "../../rpc/codecs/json/text.ts";
import { l1Address } from "../../rpc/codecs/shared/l1-address.ts";

const MAX_ELEMENTS = 10_000;

const BY_NAME: Readonly<Record<Extract<JsonForm, string>, Codec<unknown>>> = {
  boolean,
  text: text(),
  amount,
  "L1 address": converted(l1Address, toHex),
  "L2 address": converted(l2Address, toHex),
  "setup call": setupCall,
};

function codecOf(form: JsonForm): Codec<unknown> {
  if (typeof form === "string") return BY_NAME[form];
  if ("number" in form) return plainNumber(form.number);
  if ("whole" in form) return integer({ most: Number.MAX_SAFE_INTEGER, ...form.whole });
  if ("oneOf" in form) return word(form.oneOf);
  return array(codecOf(form.listOf), MAX_ELEMENTS);
}

/** The keys of getConfig and setConfig, each with the codec of its values. */
export function adminKeys(table?: OptionTable): ReadonlyMap<string, ConfigKey> {
  const keys = [...adminRows(table)].map(([name, { kind, admin }]): [string, ConfigKey] => [
    name,
    {
      codec: codecOf(admin.form ?? kind.json ?? "text"),
      ...(admin.only && { only: admin.only }),
      ...(kind.secret && { secret: kind.secret }),
    },
  ]);
  return new Map(keys);
}
