import { readFileSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { KeystoreFile } from "../../keystore/file-types.ts";
import { parseKeystoreFile } from "../../keystore/parse-file.ts";
import { KeyCommandError } from "./errors.ts";

/** The parsed JSON of a keystore file that was checked. */
interface KeystoreJson {
  schemaVersion: number;
  validators?: unknown[];
}

/** The text of a file. Throws KeyCommandError. */
export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyCommandError(path, `cannot be read (${code})`, { cause: error });
  }
}

/** Reads and checks one keystore file. Throws KeyCommandError or KeystoreError. */
export function keystoreJson(path: string): { file: KeystoreFile; json: KeystoreJson } {
  const text = readText(path);
  return { file: parseKeystoreFile(text, path), json: JSON.parse(text) as KeystoreJson };
}

/** A copy of a keystore for another folder: relative paths of encrypted files, which start at `base`, are absolute. */
export function movedFrom(base: string, keystore: KeystoreJson): KeystoreJson {
  return absolutePaths(keystore, base) as KeystoreJson;
}

/** A copy in which each `path` is absolute. */
function absolutePaths(value: unknown, base: string): unknown {
  if (Array.isArray(value)) return value.map((item) => absolutePaths(item, base));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === "path" && typeof member === "string" && !isAbsolute(member)
        ? resolve(base, member)
        : absolutePaths(member, base),
    ]),
  );
}

/** Text of a keystore file. */
export function keystoreText(keystore: object): string {
  return `${JSON.stringify(keystore, undefined, 2)}\n`;
}
