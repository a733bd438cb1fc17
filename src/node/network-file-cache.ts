import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A fetched network file. */
export interface NetworkFileCopy {
  readonly location: string;
  readonly etag: string | undefined;
  /** Until when it may be used without asking again, in ms since the epoch. */
  readonly expires: number;
  readonly text: string;
}

const FILE = "network_config.json";

function replace(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** Locations may hold keys, so that only this of them is written. */
function nameOf(location: string): string {
  return createHash("sha256").update(location).digest("hex");
}

/**
 * Copy of the network file: `network_config.json`, and beside it `network_config.json.meta` with what location it is of, its etag and
 * its end of life (sheet 09 section 2.4). A copy that cannot be read or written is as good as none.
 */
export class NetworkFileCache {
  readonly #folder: string | undefined;
  readonly #writes: boolean;

  constructor(folder: string | undefined, writes: boolean) {
    this.#folder = folder;
    this.#writes = writes;
  }

  /** The copy of this location. */
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
      mkdirSync(this.#folder, { recursive: true });
      // A text never stands beside what another one's answer said.
      rmSync(`${path}.meta`, { force: true });
      replace(path, text);
      replace(`${path}.meta`, JSON.stringify({ location: nameOf(location), etag, expires }));
    } catch {
      // The next start fetches again.
    }
  }
}
