import { spawn } from "node:child_process";
import { access, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import type { ProofProgram } from "../../protocol/generations/transactions.ts";

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const SYSTEMS: Readonly<Record<string, string>> = { linux: "linux", darwin: "macos" };
const PROBE_LIMIT_MS = 10_000;

/** A proof program that runs on this machine. */
export interface BbProgram {
  path: string;
  version: string;
}

/** The proof program is missing or does not run. */
export class BbProgramError extends Error {
  readonly path: string | undefined;

  constructor(path: string | undefined, rule: string) {
    super(path === undefined ? rule : `${path} ${rule}`);
    this.name = "BbProgramError";
    this.path = path;
  }
}

/** An error of bb or of what it runs in, as one that says that there is no verdict. */
export function noVerdict(path: string, error: unknown): BbProgramError {
  if (error instanceof BbProgramError) return error;
  return new BbProgramError(path, `gave no verdict: ${error instanceof Error ? error.message : error}`);
}

/** Folder of the installed package; undefined without it. */
function packageFolder(name: string): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return entry.slice(0, entry.lastIndexOf(`${sep}dest${sep}`));
  } catch {
    return undefined;
  }
}

/** Path of the package's program for this system; undefined without the package. */
function packagedProgram(name: string): string | undefined {
  const folder = packageFolder(name);
  return folder && join(folder, "build", `${ARCHITECTURES[process.arch]}-${SYSTEMS[process.platform]}`, "bb");
}

/** Path of the package's WebAssembly module and the package's version; undefined without the package. */
export async function packagedModule({ package: name }: Pick<ProofProgram, "package">): Promise<BbProgram | undefined> {
  const folder = packageFolder(name);
  if (folder === undefined) return undefined;
  const path = join(folder, "dest", "node", "barretenberg_wasm", "barretenberg-threads.wasm.gz");
  try {
    await access(path);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { version: string };
    return { path, version };
  } catch {
    return undefined;
  }
}

/** The configured program, or the installed package's one. Rejects with a BbProgramError. */
export async function findBbProgram(
  configured: string | undefined,
  { package: name, majorVersion }: ProofProgram,
): Promise<BbProgram> {
  const path = configured ?? packagedProgram(name);
  if (path === undefined) {
    const rule = `neither BB_BINARY_PATH is set nor the package ${name} installed`;
    throw new BbProgramError(undefined, `${rule}, which npm ci installs without --omit=optional`);
  }
  try {
    await access(path);
  } catch {
    throw new BbProgramError(path, "is not there");
  }
  const { code, output } = await printedVersion(path);
  if (code !== 0) throw new BbProgramError(path, `does not run on this machine: ${output.trim().slice(0, 200)}`);
  const version = output.trim().slice(0, 80);
  // A program of another version takes every proof for a wrong one. Builds without a release print zeros.
  const major = Number(/^\d+(?=\.)/.exec(version)?.[0] ?? 0);
  if (major > 0 && major !== majorVersion) {
    throw new BbProgramError(path, `is version ${version}; the proofs of this rollup need version ${majorVersion}`);
  }
  return { path, version };
}

/** Most bytes of output to keep. */
const MAX_OUTPUT = 16 * 1024;

/** Runs the program with `--version`. `code` is undefined when it was killed. Rejects with a BbProgramError. */
function printedVersion(path: string): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, ["--version"], {
      cwd: dirname(path),
      stdio: ["ignore", "pipe", "pipe"],
      timeout: PROBE_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(0, MAX_OUTPUT);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (cause) => reject(new BbProgramError(path, `cannot be started: ${cause.message}`)));
    child.on("close", (code) => resolve({ code: code ?? undefined, output }));
  });
}
