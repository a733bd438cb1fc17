import { setPriority } from "node:os";
import { open } from "lmdb";

/** Message to the copy process. */
export interface CopyRequest {
  /** Folder of the environment. */
  path: string;
  /** An existing, empty folder. */
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
    // A compacting copy walks the trees of one read transaction. A plain page copy would include the meta page to which
    // LMDB falls back after a power failure, whose pages may no longer exist.
    await root.backup(target, true);
    return { copied: true };
  } catch (error) {
    return { copied: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

// If the parent process is gone, the copy is useless. A normal exit would close the environment during the copy and
// crash.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", (request: CopyRequest) => {
  try {
    setPriority(LESS_THAN_THE_NODE);
  } catch {}
  void copy(request).then((answer) => process.send?.(answer, () => process.exit(answer.copied ? 0 : 1)));
});
