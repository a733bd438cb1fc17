import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ObjectOperation, ObjectStoreError } from "./errors.ts";
import { makeFolder } from "./folders.ts";
import { checkedKey } from "./object-key.ts";
import {
  DEFAULT_MAX_BYTES,
  type ObjectBody,
  type ObjectStore,
  type ReadOptions,
  type WriteOptions,
} from "./object-store.ts";
import { once } from "./pieces.ts";

const READ_BYTES = 1024 * 1024;

/** Objects as files below a folder. */
export class FileObjects implements ObjectStore {
  readonly name: string;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    this.name = `file://${root}`;
  }

  #fail(operation: ObjectOperation, key: string, rule: string, cause?: unknown): ObjectStoreError {
    return new ObjectStoreError({ store: this.name, operation, key }, rule, { cause });
  }

  #path(key: string): string {
    return join(this.#root, checkedKey(key, this.name));
  }

  /** Size of the file, undefined when there is none. */
  async #size(operation: ObjectOperation, key: string): Promise<number | undefined> {
    const path = this.#path(key);
    try {
      const found = await stat(path);
      return found.isFile() ? found.size : undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw this.#fail(operation, key, `its file cannot be read (${code})`, error);
    }
  }

  async get(key: string, { signal, maxBytes = DEFAULT_MAX_BYTES }: ReadOptions = {}): Promise<Uint8Array | undefined> {
    const size = await this.#size("read", key);
    if (size === undefined) return undefined;
    if (size > maxBytes) throw this.#fail("read", key, `it has ${size} bytes, ${maxBytes} are allowed`);
    try {
      return await readFile(this.#path(key), { signal });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT") return undefined;
      throw this.#fail("read", key, `its file cannot be read (${code})`, error);
    }
  }

  async has(key: string): Promise<boolean> {
    return (await this.#size("look up", key)) !== undefined;
  }

  async open(key: string, signal?: AbortSignal): Promise<ObjectBody | undefined> {
    const size = await this.#size("read", key);
    return size === undefined ? undefined : { size, pieces: this.#pieces(key, signal) };
  }

  async *#pieces(key: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      const file = await open(this.#path(key));
      yield* file.createReadStream({ highWaterMark: READ_BYTES, signal });
    } catch (error) {
      throw this.#fail("read", key, `its file cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
    }
  }

  /** Writes and syncs a temporary file first, and then renames it. */
  async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<void> {
    const path = this.#path(key);
    const unfinished = `${path}.${randomUUID()}.tmp`;
    try {
      await makeFolder(dirname(path));
      const file = await open(unfinished, "wx");
      try {
        for await (const piece of content instanceof Uint8Array ? once(content) : content) {
          options.signal?.throwIfAborted();
          await file.writeFile(piece);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      const { code } = error as NodeJS.ErrnoException;
      // Errors of the content stream are not errors of the store.
      if (typeof code !== "string" || (error as NodeJS.ErrnoException).syscall === undefined) throw error;
      throw this.#fail("write", key, `its file cannot be written (${code})`, error);
    }
  }
}
