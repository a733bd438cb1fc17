import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { makeFolder } from "../../storage/make-folder.ts";
import { replaceFile } from "../../storage/replace-file.ts";
import { KeyCommandError } from "./errors.ts";

/** Path of a new keystore file: the given name in the folder, else key1.json or the next free key<N>.json. */
export function newKeystorePath(folder: string, name: string | undefined): string {
  if (name !== undefined) return isAbsolute(name) ? name : resolve(folder, name);
  for (let i = 1; ; i++) {
    const path = resolve(folder, `key${i}.json`);
    if (!existsSync(path)) return path;
  }
}

/**
 * Folder of encrypted key files. Not the keystore's own folder, since a node reads every .json file there as a
 * keystore.
 */
export function encryptedFolder(keystore: string, given: string | undefined): string {
  return given === undefined ? join(dirname(keystore), "encrypted") : resolve(given);
}

/** Creates files that only their owner can read, and removes them again if a later step fails. */
export class NewFiles {
  readonly #written: string[] = [];

  /** Throws KeyCommandError if the file exists already: keys are never overwritten. */
  write(path: string, text: string): void {
    try {
      makeFolder(dirname(path), 0o700);
      writeFileSync(path, text, { flag: "wx", mode: 0o600, flush: true });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const rule = code === "EEXIST" ? "exists already and is not overwritten" : `cannot be written (${code})`;
      throw new KeyCommandError(path, rule, { cause: error });
    }
    this.#written.push(path);
  }

  /** Replaces a file at once. Has to be the last step, since it stays. Throws KeyCommandError. */
  replace(path: string, text: string): void {
    try {
      replaceFile(path, text);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new KeyCommandError(path, `cannot be replaced (${code})`, { cause: error });
    }
  }

  removeAll(): void {
    for (const path of this.#written) rmSync(path, { force: true });
  }
}

/** Runs steps that write files. If one fails, none of the files stays. */
export async function allOrNoFiles<T>(work: (files: NewFiles) => Promise<T>): Promise<T> {
  const files = new NewFiles();
  try {
    return await work(files);
  } catch (error) {
    files.removeAll();
    throw error;
  }
}
