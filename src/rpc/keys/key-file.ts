import { readFile, stat } from "node:fs/promises";
import type { Logger } from "../../telemetry/logger.ts";
import { type ApiKey, ApiKeysError, parseApiKeys } from "./api-key.ts";

/** A file that is mounted into a container may be replaced without a notice to watchers, so it is looked at. */
const LOOK_EVERY_MS = 2_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Reads a keys file, and again whenever it has changed. An invalid file leaves the keys unchanged. */
export class KeyFile {
  readonly #path: string;
  readonly #log: Logger;
  readonly #listeners = new Set<(keys: readonly ApiKey[]) => void>();
  readonly #timer: NodeJS.Timeout;
  #keys: readonly ApiKey[];
  #version: string;
  #looking = false;

  /** Rejects with an ApiKeysError. */
  static async open(path: string, log: Logger, lookEveryMs = LOOK_EVERY_MS): Promise<KeyFile> {
    const version = await versionOf(path);
    const keys = await read(path);
    log.info({ path, keys: keys.length }, "read {keys} API keys");
    return new KeyFile(path, { keys, version, log, lookEveryMs });
  }

  private constructor(
    path: string,
    { keys, version, log, lookEveryMs }: { keys: ApiKey[]; version: string; log: Logger; lookEveryMs: number },
  ) {
    this.#path = path;
    this.#log = log;
    this.#keys = keys;
    this.#version = version;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs).unref();
  }

  get keys(): readonly ApiKey[] {
    return this.#keys;
  }

  /** Returns an unsubscribe function. */
  onChange(listener: (keys: readonly ApiKey[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const version = await versionOf(this.#path);
      if (version === this.#version) return;
      // Also of an invalid file, so that it is reported once.
      this.#version = version;
      this.#keys = await read(this.#path);
      this.#log.info({ path: this.#path, keys: this.#keys.length }, "read {keys} API keys");
      for (const listener of this.#listeners) listener(this.#keys);
    } catch (error) {
      this.#log.error(
        { path: this.#path, reason: String(error) },
        "the API key file was not reloaded, the keys in use stay: {reason}",
      );
    } finally {
      this.#looking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** Changes with the file; "" while there is none. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch {
    return "";
  }
}

async function read(path: string): Promise<ApiKey[]> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw new RangeError(`has more than ${MAX_BYTES} bytes`);
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ApiKeysError("", `cannot be read: ${(cause as NodeJS.ErrnoException).code ?? (cause as Error).message}`, {
      cause,
      path,
    });
  }
  return parseApiKeys(text, path);
}
