import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { OperatorError } from "../../errors/operator-error.ts";
import {
  readIdentity,
  SCHEMA_VERSION,
  StoreGenerationError,
  type StoreIdentity,
  StoreSchemaError,
} from "../../storage/identity.ts";
import { inspectStore } from "../../storage/inspect.ts";
import { openStore } from "../../storage/store.ts";
import { type Finding, fail, ok, skip, warn } from "./finding.ts";

const GIB = 2 ** 30;
/** Below the first nothing much can be synced; below the second it gets tight within weeks. */
const MIN_ROOM = GIB;
const ADVISED_ROOM = 20 * GIB;
const SYNCS = 20;
/** Each commit waits for the disk once; a block is several commits. */
const SLOW_SYNC_MS = 30;

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown error";
}

/** The folder itself, or the nearest parent that exists. */
function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}

/** Median time of writing a page and waiting until it is on the disk, in milliseconds. */
function syncTime(folder: string): number {
  const own = mkdtempSync(join(folder, ".svc-doctor-"));
  try {
    const file = openSync(join(own, "probe"), "w");
    const page = Buffer.alloc(4096, 1);
    const times = Array.from({ length: SYNCS }, (_, i) => {
      const started = performance.now();
      writeSync(file, page, 0, page.length, i * page.length);
      fdatasyncSync(file);
      return performance.now() - started;
    });
    closeSync(file);
    return times.sort((a, b) => a - b)[SYNCS / 2];
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function checkDisk(folder: string): Finding[] {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const gib = `${(free / GIB).toFixed(1)} GiB free at ${folder}`;
  const more = "make room, or name a --data-directory on a larger disk";
  const room =
    free < MIN_ROOM
      ? fail("disk room", `${gib}, at least ${MIN_ROOM / GIB} GiB is needed`, more)
      : free < ADVISED_ROOM
        ? warn("disk room", `${gib}, ${ADVISED_ROOM / GIB} GiB are advised`, more)
        : ok("disk room", gib);
  try {
    const ms = syncTime(folder);
    const text = `a write is on the disk after ${ms.toFixed(1)} ms (median of ${SYNCS})`;
    const slow = "use a local SSD: network disks and spinning ones slow down the sync and every commit";
    return [room, ms > SLOW_SYNC_MS ? warn("disk speed", text, slow) : ok("disk speed", text)];
  } catch (error) {
    return [room, fail("disk speed", `cannot write at ${folder} (${errorCode(error)})`, more)];
  }
}

function checkPermissions(path: string): Finding {
  const folder = existing(path);
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error(), { code: "ENOTDIR" });
  } catch (error) {
    const remedy = `make it a folder of the user that runs the node: chown -R $(id -u) ${folder}`;
    return fail("data directory", `${folder} must be a folder that this user can write (${errorCode(error)})`, remedy);
  }
  return ok("data directory", folder === path ? path : `${path} does not exist yet and can be made`);
}

/** Files that only their owner may read. */
const SECRET_FILES = ["p2p-private-key", join("admin", "api_key_hash")];

export function checkSecretFile(check: string, path: string): Finding | undefined {
  if (!existsSync(path) || (statSync(path).mode & 0o077) === 0) return undefined;
  const mode = (statSync(path).mode & 0o777).toString(8).padStart(4, "0");
  return fail(check, `other users may read ${path} (mode ${mode})`, `chmod 600 ${path}`);
}

interface Stored {
  finding: Finding;
  identity?: StoreIdentity;
}

/** What the chain store says of itself; a running node may be on it. */
async function checkSchema(path: string): Promise<Stored> {
  const folder = join(path, "chain");
  if (!existsSync(join(folder, "data.mdb"))) return { finding: skip("schema", "no chain store yet") };
  try {
    inspectStore(folder);
    const store = openStore({ path: folder, readOnly: true });
    try {
      const identity = readIdentity(store);
      if (identity === undefined) return { finding: ok("schema", "the chain store is new") };
      return { identity, finding: ok("schema", `version ${identity.schemaVersion}, chain ${identity.l1ChainId}`) };
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreSchemaError && (error.found ?? 0) > SCHEMA_VERSION) {
      const text = `the chain store has schema version ${error.found}, this program reads ${SCHEMA_VERSION}: a newer one wrote it`;
      return { finding: fail("schema", text, "install the newer release again, or name another --data-directory") };
    }
    if (error instanceof StoreGenerationError) {
      return {
        finding: fail("schema", error.message, "install the release that wrote it, or name another --data-directory"),
      };
    }
    const remedy = "restore a backup, or delete the directory: the node syncs again";
    if (error instanceof OperatorError) return { finding: fail("schema", error.message, remedy) };
    return { finding: fail("schema", `the chain store cannot be opened (${errorCode(error)})`, remedy) };
  }
}

interface DirectoryFacts {
  findings: Finding[];
  /** Undefined where nothing is stored yet. */
  identity?: StoreIdentity;
}

/** The data directory: permissions, schema, room, speed. undefined: a temporary one. */
export async function checkDirectory(path: string | undefined): Promise<DirectoryFacts> {
  if (path === undefined) {
    const text = "none is given: the node works in a temporary one and syncs anew at each start";
    return { findings: [warn("data directory", text, "give --data-directory")] };
  }
  const permissions = checkPermissions(path);
  if (permissions.verdict === "fail") return { findings: [permissions] };
  const secrets = SECRET_FILES.flatMap((name) => checkSecretFile("permissions", join(path, name)) ?? []);
  const { finding, identity } = await checkSchema(path);
  return { findings: [permissions, ...secrets, finding, ...checkDisk(existing(path))], identity };
}
