import { OperatorError } from "../../errors/operator-error.ts";
import { JsonField } from "../../json/json-field.ts";
import { fromHex } from "../../protocol/bytes.ts";

/** A key that a client may present. Plain data: it crosses threads. The key itself is not known here. */
export interface ApiKey {
  /** Of its owner, for metrics. */
  readonly name: string;
  /** SHA-256 of the key's text. */
  readonly hash: Uint8Array;
  /** Most calls per second, 0 for no limit. */
  readonly rateLimit: number;
  /** Methods by their names on the wire, or beginnings of them followed by `*`; all when absent. */
  readonly methods?: readonly string[];
}

/** A file of API keys cannot be used. Its texts name no hash and no key. */
export class ApiKeysError extends OperatorError {
  override readonly errorCode = "api-keys-invalid";
  /** Path inside the file's JSON; "" for the whole file. */
  readonly field: string;

  constructor(field: string, rule: string, { path, ...options }: ErrorOptions & { path?: string } = {}) {
    super(`API keys file${path === undefined ? "" : ` ${path}`}: ${field === "" ? "it" : field} ${rule}`, options);
    this.name = "ApiKeysError";
    this.field = field;
  }
}

/** Keys of one file. */
const MAX_KEYS = 1_000;
const MAX_METHODS = 200;
const MAX_PER_SECOND = 1_000_000;
const KEY_MEMBERS = ["name", "sha256", "rateLimit", "methods"];

/**
 * Reads the text of the keys file `path`: `{"keys": [{"name": .., "sha256": .., "rateLimit": .., "methods": [..]}]}`.
 * Throws an ApiKeysError.
 */
export function parseApiKeys(text: string, path?: string): ApiKey[] {
  const file = JsonField.parse(text, "", ({ field }, rule) => {
    throw new ApiKeysError(field, rule, { path });
  });
  file.object(["keys"]);
  const items = file.key("keys").items();
  if (items.length > MAX_KEYS) file.key("keys").broken(`must have at most ${MAX_KEYS} items`);
  const keys = items.map(keyOf);
  for (const member of ["name", "hash"] as const) {
    const seen = new Map<string, number>();
    for (const [i, key] of keys.entries()) {
      const value = String(key[member]);
      const first = seen.get(value);
      const field = member === "hash" ? "sha256" : member;
      if (first !== undefined) {
        throw new ApiKeysError(`keys[${i}].${field}`, `is the same as keys[${first}].${field}`, { path });
      }
      seen.set(value, i);
    }
  }
  return keys;
}

function keyOf(item: JsonField): ApiKey {
  item.object(KEY_MEMBERS);
  const name = item
    .key("name")
    .text(/^[A-Za-z0-9._-]{1,64}$/, "must have 1 to 64 letters, digits, dots, underscores or hyphens");
  const hash = item.key("sha256").text(/^[0-9a-fA-F]{64}$/, "must be the SHA-256 hash of the key, 64 hex digits");
  const rateLimit = item.key("rateLimit").optional((rate) => rate.whole(0, MAX_PER_SECOND)) ?? 0;
  const methods = item.key("methods").optional(methodsOf);
  return { name, hash: fromHex(`0x${hash.toLowerCase()}`), rateLimit, ...(methods && { methods }) };
}

function methodsOf(list: JsonField): string[] {
  const rule = `must be a list of 1 to ${MAX_METHODS} methods`;
  const methods = list.items(rule);
  if (methods.length === 0 || methods.length > MAX_METHODS) list.broken(rule);
  return methods.map((method) =>
    method.text(/^[A-Za-z]+_[A-Za-z0-9]*\*?$/, "must be a method such as node_getBlock, or a beginning such as node_*"),
  );
}
