import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../../errors/operator-error.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { toHex } from "../../protocol/bytes.ts";
import { apiKeyHash } from "../../rpc/admin/api-key-gate.ts";
import { makeFolder } from "../../storage/make-folder.ts";
import { replaceFile } from "../../storage/replace-file.ts";

const HASH_TEXT = /^[0-9a-f]{64}$/;

/** The configured hash of the admin key is invalid. The message does not contain it, since it may be the key itself. */
export class AdminKeyHashError extends OperatorError {
  override readonly errorCode: string = "admin-key-hash";

  readonly length: number;

  constructor(length: number) {
    super(`Invalid admin API key hash: expected 64-char hex string, got ${length} characters`);
    this.name = "AdminKeyHashError";
    this.length = length;
  }
}

/** The file of the admin key's hash cannot be read or written. */
export class AdminKeyFileError extends OperatorError {
  override readonly errorCode: string = "admin-key-file";

  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`admin key file ${path} must be readable and writable (${(cause as NodeJS.ErrnoException).code})`, { cause });
    this.name = "AdminKeyFileError";
    this.path = path;
  }
}

export interface AdminKeyOptions {
  disabled: boolean;
  /** Hash configured by the operator: 64 lower-case hex digits. */
  hash: string | undefined;
  /** Generate a new key even if one is stored. */
  reset: boolean;
  /** Persistent data directory; undefined if there is none. */
  dataDirectory: string | undefined;
  log: NodeLogger;
}

interface AdminKey {
  /** SHA-256 of the required key; undefined if no key is required. */
  readonly hash: Uint8Array | undefined;
  /** A newly generated key, to be shown once and never stored. */
  readonly generated?: string;
  /**
   * Stores the new key's hash. Call it only after the key was shown, since otherwise nobody knows it. Throws
   * AdminKeyFileError.
   */
  keep(): void;
}

const nothingToKeep = (): void => {};

/**
 * Determines the admin key (docs/protocol/05-rpc.md#534-admin-access): none if disabled, else the configured hash, else
 * the stored one, else a new key, whose hash is stored in `<dataDirectory>/admin/api_key_hash`. Throws
 * AdminKeyHashError or AdminKeyFileError.
 */
export function resolveAdminKey({ disabled, hash, reset, dataDirectory, log }: AdminKeyOptions): AdminKey {
  if (disabled) {
    log.warn("admin requests need no API key: anyone who can reach the admin port controls the node");
    return { hash: undefined, keep: nothingToKeep };
  }
  if (hash !== undefined) {
    const trimmed = hash.trim();
    if (!HASH_TEXT.test(trimmed)) throw new AdminKeyHashError(hash.length);
    return { hash: Buffer.from(trimmed, "hex"), keep: nothingToKeep };
  }
  if (dataDirectory === undefined) {
    log.info("the admin API key is valid for this run only: without a data directory it cannot be stored");
    return { ...newKey(), keep: nothingToKeep };
  }
  const folder = join(dataDirectory, "admin");
  const path = join(folder, "api_key_hash");
  const orFileError = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new AdminKeyFileError(path, error);
    }
  };
  const stored = reset ? undefined : orFileError(() => readStored(path, log));
  if (stored !== undefined) return { hash: stored, keep: nothingToKeep };
  const key = newKey();
  const keep = (): void => {
    makeFolder(folder, 0o700);
    replaceFile(path, toHex(key.hash).slice(2));
  };
  return { ...key, keep: () => orFileError(keep) };
}

function newKey(): { hash: Uint8Array; generated: string } {
  const generated = randomBytes(32).toString("hex");
  return { hash: apiKeyHash(generated), generated };
}

function readStored(path: string, log: NodeLogger): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (HASH_TEXT.test(text)) return Buffer.from(text, "hex");
  log.warn({ path, characters: text.length }, "the stored admin API key hash is malformed: making a new key");
  return undefined;
}

/** Shown once on standard output, whatever the log level. */
export function adminKeyBanner(key: string, stored: boolean): string {
  const rule = "=".repeat(72);
  const kept = stored
    ? "It is shown only now. Only its hash is kept; --reset-admin-api-key makes another one."
    : "It is valid for this run only: there is no data directory to keep its hash in.";
  return [
    rule,
    "Admin API key",
    "",
    `    ${key}`,
    "",
    kept,
    "Send it as x-api-key, or as Authorization: Bearer.",
    rule,
    "",
  ].join("\n");
}
