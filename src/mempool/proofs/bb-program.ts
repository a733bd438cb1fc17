import { spawn } from "node:child_process";
import { access } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** npm package that contains the network's proof program; a node without it configures the program's path instead. */
const PACKAGE = "@aztec/bb.js";
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

/** Path of the package's program for this system; undefined without the package. */
function packagedProgram(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(PACKAGE);
    const root = entry.slice(0, entry.lastIndexOf(join("bb.js", "dest")) + "bb.js".length);
    return join(root, "build", `${ARCHITECTURES[process.arch]}-${SYSTEMS[process.platform]}`, "bb");
  } catch {
    return undefined;
  }
}

/** The configured program, or the installed package's one. Rejects with a BbProgramError. */
export async function findBbProgram(configured: string | undefined): Promise<BbProgram> {
  const path = configured ?? packagedProgram();
  if (path === undefined) {
    throw new BbProgramError(undefined, `neither BB_BINARY_PATH is set nor the package ${PACKAGE} installed`);
  }
  try {
    await access(path);
  } catch {
    throw new BbProgramError(path, "is not there");
  }
  const { code, output } = await runProgram(path, ["--version"], { cwd: dirname(path), limitMs: PROBE_LIMIT_MS });
  if (code !== 0) throw new BbProgramError(path, `does not run on this machine: ${output.trim().slice(0, 200)}`);
  return { path, version: output.trim().slice(0, 80) };
}

export interface RunOptions {
  cwd: string;
  /** The program is killed after this time. */
  limitMs: number;
  threads?: number;
}

/** Most bytes of output to keep. */
const MOST_OUTPUT = 16 * 1024;

/**
 * Runs a program to its end. `code` is undefined when the program was killed. Rejects with a BbProgramError when it
 * cannot start.
 */
export function runProgram(
  path: string,
  args: readonly string[],
  { cwd, limitMs, threads }: RunOptions,
): Promise<{ code: number | undefined; output: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...(threads !== undefined && { HARDWARE_CONCURRENCY: String(threads) }) };
    const child = spawn(path, args, {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: limitMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(0, MOST_OUTPUT);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", (cause) => reject(new BbProgramError(path, `cannot be started: ${cause.message}`)));
    child.on("close", (code) => resolve({ code: code ?? undefined, output }));
  });
}
