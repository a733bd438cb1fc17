import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../storage/make-folder.ts";

/** A fetched network file. */
interface NetworkFileCopy {
  readonly location: string;
  readonly etag: string | undefined;
  /** Expiry in Unix milliseconds; until then the copy is used without a request. */
  readonly expires: number;
  readonly text: string;
}

const FILE = "network_config.json";

function replace(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Only a hash of the location is stored, since locations may contain keys. */
function nameOf(location: string): string {
  return createHash("sha256").update(location).digest("hex");
}

/**
 * Cached copy of the network file: `network_config.json`, and `network_config.json.meta` with its location, etag and
 * expiry (docs/protocol/09-configuration.md#94-network-file). A copy that cannot be read or written is treated as
 * absent.
 */
export class NetworkFileCache {
  readonly #folder: string | undefined;
  readonly #writes: boolean;

  constructor(folder: string | undefined, writes: boolean) {
    this.#folder = folder;
    this.#writes = writes;
  }

  /** The cached copy of this location. */
  read(location: string): NetworkFileCopy | undefined {
    if (this.#folder === undefined) return undefined;
    try {
      const path = join(this.#folder, FILE);
      const meta: unknown = JSON.parse(readFileSync(`${path}.meta`, "utf8"));
      if (typeof meta !== "object" || meta === null) return undefined;
      const { location: of, etag, expires } = meta as Record<string, unknown>;
      if (of !== nameOf(location) || typeof expires !== "number") return undefined;
      return { location, etag: typeof etag === "string" ? etag : undefined, expires, text: readFileSync(path, "utf8") };
    } catch {
      return undefined;
    }
  }

  write({ location, etag, expires, text }: NetworkFileCopy): void {
    if (this.#folder === undefined || !this.#writes) return;
    const path = join(this.#folder, FILE);
    try {
      makeFolder(this.#folder);
      // Removed first, so that the metadata never belongs to another version of the file.
      rmSync(`${path}.meta`, { force: true });
      replace(path, text);
      replace(`${path}.meta`, JSON.stringify({ location: nameOf(location), etag, expires }));
    } catch {
      // Ignored: the next start fetches the file again.
    }
  }
}
