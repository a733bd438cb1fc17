import { OperatorError } from "../../errors/operator-error.ts";
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

  constructor(field: string, rule: string, options?: ErrorOptions) {
    super(`API keys file: ${field === "" ? "it" : field} ${rule}`, options);
    this.name = "ApiKeysError";
    this.field = field;
  }
}

/** Keys of one file. */
export const MAX_KEYS = 1_000;
const MAX_METHODS = 200;
const MAX_PER_SECOND = 1_000_000;
const KEY_MEMBERS = ["name", "sha256", "rateLimit", "methods"];

/**
 * Reads the text of a keys file: `{"keys": [{"name": .., "sha256": .., "rateLimit": .., "methods": [..]}]}`. Throws an
 * ApiKeysError.
 */
export function parseApiKeys(text: string): ApiKey[] {
  const file = objectOf(parsed(text), "", ["keys"]);
  const list = file.keys;
  if (!Array.isArray(list)) throw new ApiKeysError("keys", "must be a list");
  if (list.length > MAX_KEYS) throw new ApiKeysError("keys", `must have at most ${MAX_KEYS} items`);
  const keys = list.map((item, i) => keyOf(item, `keys[${i}]`));
  for (const member of ["name", "hash"] as const) {
    const seen = new Map<string, number>();
    for (const [i, key] of keys.entries()) {
      const value = String(key[member]);
      const first = seen.get(value);
      const field = member === "hash" ? "sha256" : member;
      if (first !== undefined) throw new ApiKeysError(`keys[${i}].${field}`, `is the same as keys[${first}].${field}`);
      seen.set(value, i);
    }
  }
  return keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message shows a part of the text.
    throw new ApiKeysError("", "must be JSON");
  }
}

function keyOf(item: unknown, path: string): ApiKey {
  const { name, sha256, rateLimit = 0, methods } = objectOf(item, path, KEY_MEMBERS);
  if (typeof name !== "string" || !/^[A-Za-z0-9._-]{1,64}$/.test(name)) {
    throw new ApiKeysError(`${path}.name`, "must have 1 to 64 letters, digits, dots, underscores or hyphens");
  }
  if (typeof sha256 !== "string" || !/^[0-9a-fA-F]{64}$/.test(sha256)) {
    throw new ApiKeysError(`${path}.sha256`, "must be the SHA-256 hash of the key, 64 hex digits");
  }
  if (!Number.isInteger(rateLimit) || (rateLimit as number) < 0 || (rateLimit as number) > MAX_PER_SECOND) {
    throw new ApiKeysError(`${path}.rateLimit`, `must be a whole number from 0 to ${MAX_PER_SECOND}`);
  }
  const key = { name, hash: fromHex(`0x${sha256.toLowerCase()}`), rateLimit: rateLimit as number };
  return methods === undefined ? key : { ...key, methods: methodsOf(methods, `${path}.methods`) };
}

function methodsOf(list: unknown, path: string): string[] {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_METHODS) {
    throw new ApiKeysError(path, `must be a list of 1 to ${MAX_METHODS} methods`);
  }
  for (const [i, method] of list.entries()) {
    if (typeof method !== "string" || !/^[A-Za-z]+_[A-Za-z0-9]*\*?$/.test(method)) {
      throw new ApiKeysError(`${path}[${i}]`, "must be a method such as node_getBlock, or a beginning such as node_*");
    }
  }
  return list;
}

function objectOf(value: unknown, path: string, members: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ApiKeysError(path, "must be an object");
  }
  const place = path === "" ? "" : `${path}.`;
  const unknown = Object.keys(value).find((member) => !members.includes(member));
  if (unknown !== undefined) {
    throw new ApiKeysError(`${place}${unknown.slice(0, 64)}`, `is unknown: there are ${members.join(", ")}`);
  }
  return value as Record<string, unknown>;
}
