import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../errors/operator-error.ts";
import { SCHEMA_VERSION } from "../storage/identity.ts";
import { inspectStore } from "../storage/inspect.ts";

/** The state of a local network cannot be written to a file, or be read from it. */
export class StateFileError extends OperatorError {
  override readonly errorCode: string = "state-file";

  readonly file: string;
  readonly rule: string;

  constructor(file: string, rule: string, options?: ErrorOptions) {
    super(`state file ${file} ${rule}`, options);
    this.name = "StateFileError";
    this.file = file;
    this.rule = rule;
  }
}

/** What a state belongs to. */
export interface StateOrigin {
  l1ChainId: number;
  /** 0x text. */
  genesisArchiveRoot: string;
  /** 0x text, lower case. */
  rollupAddress: string;
  rollupVersion: number;
}

/** Version of the layout of a state file. */
const FORMAT = 1;
const MANIFEST = "network.json";
const MEMBERS = [MANIFEST, "l1-state.json", "l1-contracts.json", "chain", "pool"] as const;

/** Runs tar, which every system with a shell has. Rejects with its last words. */
function tar(args: readonly string[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn("tar", args, { stdio: ["ignore", "ignore", "pipe"], signal });
    let said = "";
    child.stderr.on("data", (part: Buffer) => {
      said = (said + part.toString("utf8")).slice(-400);
    });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `tar ended with ${code}`)),
    );
  });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Packs a gathered state into a file, which appears whole, in place of an earlier one: a gzipped tar archive with
 * `l1-state.json`, `l1-contracts.json`, `chain`, `pool` and the manifest `network.json`. Throws StateFileError.
 */
export async function packState(folder: string, file: string, origin: StateOrigin, signal: AbortSignal): Promise<void> {
  const part = `${file}.part`;
  try {
    const manifest = { format: FORMAT, schemaVersion: SCHEMA_VERSION, ...origin };
    await writeFile(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await tar(
      ["--create", "--use-compress-program=gzip -1", "--file", part, "--directory", folder, ...MEMBERS],
      signal,
    );
    const handle = await open(part, "r");
    await handle.sync().finally(() => handle.close());
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true });
    throw new StateFileError(file, `cannot be written: ${messageOf(cause)}`, { cause });
  }
}

/** Unpacks a state file to an empty folder. Throws StateFileError unless it is whole and of this program's schema. */
export async function unpackState(file: string, folder: string, signal: AbortSignal): Promise<StateOrigin> {
  if (!existsSync(file)) throw new StateFileError(file, "does not exist");
  try {
    await tar(["--extract", "--gzip", "--no-same-owner", "--file", file, "--directory", folder, ...MEMBERS], signal);
  } catch (cause) {
    throw new StateFileError(file, `is not a whole state of a local network: ${messageOf(cause)}`, { cause });
  }
  const manifest = readManifest(file, join(folder, MANIFEST));
  for (const store of ["chain", "pool"]) {
    try {
      inspectStore(join(folder, store));
    } catch (cause) {
      throw new StateFileError(file, `has a damaged store: ${messageOf(cause)}`, { cause });
    }
  }
  return manifest;
}

function readManifest(file: string, path: string): StateOrigin {
  let manifest: Partial<StateOrigin> & { format?: unknown; schemaVersion?: unknown };
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new StateFileError(file, `has a damaged ${MANIFEST}`, { cause });
  }
  const { format, schemaVersion, l1ChainId, genesisArchiveRoot, rollupAddress, rollupVersion } = manifest ?? {};
  if (format !== FORMAT) throw new StateFileError(file, `has format ${format}, this program reads ${FORMAT}`);
  if (schemaVersion !== SCHEMA_VERSION) {
    throw new StateFileError(file, `has schema version ${schemaVersion}, this program reads ${SCHEMA_VERSION}`);
  }
  if (
    typeof l1ChainId !== "number" ||
    typeof genesisArchiveRoot !== "string" ||
    typeof rollupAddress !== "string" ||
    typeof rollupVersion !== "number"
  ) {
    throw new StateFileError(file, `has an incomplete ${MANIFEST}`);
  }
  return { l1ChainId, genesisArchiveRoot, rollupAddress, rollupVersion };
}

const MEANING: Readonly<Record<keyof StateOrigin, string>> = {
  l1ChainId: "another L1 chain id",
  genesisArchiveRoot: "another genesis: start with its TEST_ACCOUNTS and PREFUND_ADDRESSES",
  rollupAddress: "another rollup: start a network with --load-state",
  rollupVersion: "another rollup version: start a network with --load-state",
};

/** Throws StateFileError unless the state belongs to this network, as far as that is given. */
export function requireOrigin(file: string, found: StateOrigin, wanted: Partial<StateOrigin>): void {
  for (const key of Object.keys(wanted) as (keyof StateOrigin)[]) {
    if (found[key] !== wanted[key]) {
      throw new StateFileError(file, `is of ${MEANING[key]} (${found[key]} instead of ${wanted[key]})`);
    }
  }
}
