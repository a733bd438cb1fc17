import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { BlobSourceError } from "./errors.ts";
import type { ObjectStore } from "./object-reader.ts";

/** Objects as files below a folder. */
export class FileObjects implements ObjectStore {
  readonly name: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.name = `file://${root}`;
  }

  async get(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.#root, key), { signal });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw new BlobSourceError(this.name, `cannot be read (${code})`, { cause: error });
    }
  }

  async has(key: string): Promise<boolean> {
    return access(join(this.#root, key)).then(
      () => true,
      () => false,
    );
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    const path = join(this.#root, key);
    const unfinished = `${path}.${randomUUID()}.tmp`;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(unfinished, content);
    await rename(unfinished, path);
  }
}
