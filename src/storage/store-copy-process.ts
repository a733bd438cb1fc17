import { setPriority } from "node:os";
import { open } from "lmdb";

/** What the process of a copy is told. */
export interface CopyRequest {
  /** Folder of the environment. */
  path: string;
  /** Folder, there and empty. */
  target: string;
  mapSizeKb: number | undefined;
}

export interface CopyAnswer {
  copied: boolean;
  reason?: string;
}

const LESS_THAN_THE_NODE = 10;

async function copy({ path, target, mapSizeKb }: CopyRequest): Promise<CopyAnswer> {
  try {
    const mapSize = mapSizeKb === undefined ? {} : { mapSize: mapSizeKb * 1024 };
    const root = open({ path, readOnly: true, ...mapSize });
    // Compacting walks the trees of one read transaction. A copy page by page would carry the meta page that a restart after a
    // power failure falls back to, whose pages may be gone.
    await root.backup(target, true);
    return { copied: true };
  } catch (error) {
    return { copied: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

// A copy for a process that is gone is of no use. Leaving in any other way would close the environment under the copy.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", (request: CopyRequest) => {
  try {
    setPriority(LESS_THAN_THE_NODE);
  } catch {}
  void copy(request).then((answer) => process.send?.(answer, () => process.exit(answer.copied ? 0 : 1)));
});
