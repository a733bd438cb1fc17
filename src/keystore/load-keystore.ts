import { readFileSync, statSync } from "node:fs";
import { jsonFilesIn } from "./accounts.ts";
import { KeystoreError, type KeystoreIssue } from "./errors.ts";
import type { KeystoreFile } from "./file-types.ts";
import { type Keystore, resolveKeystore } from "./keystore.ts";
import { mergeKeystoreFiles } from "./merge-files.ts";
import { parseKeystoreFile } from "./parse-file.ts";
import { checkRemoteAccounts, type ListRemoteAccounts } from "./remote-signer-check.ts";

interface LoadKeystoreOptions {
  /** A file, or a folder whose .json files are merged in the order of their names. */
  path: string;
  warn: (facts: object, message: string) => void;
  list?: ListRemoteAccounts;
  /** Pauses between attempts to reach a remote signer, in milliseconds. */
  waitsMs?: readonly number[];
}

/**
 * Reads, merges and checks keystore files, including whether remote signers hold the named keys. Throws KeystoreError.
 */
export async function loadKeystore({ path, warn, list, waitsMs }: LoadKeystoreOptions): Promise<Keystore> {
  const keystore = await readKeystore(path, warn);
  await checkRemoteAccounts(keystore, { list, waitsMs });
  return keystore;
}

/** Reads, merges and resolves keystore files without asking remote signers. Throws KeystoreError. */
export async function readKeystore(path: string, warn: LoadKeystoreOptions["warn"]): Promise<Keystore> {
  const keystore = await resolveKeystore(mergeKeystoreFiles(readFiles(path), warn));
  const certified = keystore.remoteAccounts().filter(({ signer }) => signer.certPath !== undefined);
  for (const host of new Set(certified.map(({ signer }) => new URL(signer.url).host))) {
    warn({ host }, "client certificates are not used: the remote signer must accept requests without one");
  }
  return keystore;
}

/**
 * Reads and merges keystore files, but derives and decrypts no keys and asks no remote signer. Throws KeystoreError.
 */
export function requireKeystoreFiles(path: string): void {
  mergeKeystoreFiles(readFiles(path), () => {});
}

/** Reads every file before it throws, so that one error names the issues of all files. */
function readFiles(path: string): KeystoreFile[] {
  const files: KeystoreFile[] = [];
  const issues: KeystoreIssue[] = [];
  for (const file of keystorePaths(path)) {
    try {
      files.push(parseKeystoreFile(readText(file), file));
    } catch (error) {
      if (!(error instanceof KeystoreError)) throw error;
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw new KeystoreError(issues);
  return files;
}

function unreadable(file: string, error: unknown): KeystoreError {
  const { code } = error as NodeJS.ErrnoException;
  return new KeystoreError(
    [
      {
        file,
        field: "",
        rule: `cannot be read (${code}): KEY_STORE_DIRECTORY must name a keystore file or a folder of them`,
      },
    ],
    { cause: error },
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadable(path, error);
  }
}

function keystorePaths(path: string): string[] {
  let paths: string[];
  try {
    paths = statSync(path).isDirectory() ? jsonFilesIn(path) : [path];
  } catch (error) {
    throw unreadable(path, error);
  }
  if (paths.length === 0) throw new KeystoreError([{ file: path, field: "", rule: "must hold a .json file" }]);
  return paths;
}
