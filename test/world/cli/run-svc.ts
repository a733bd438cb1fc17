import { type ChildProcess, spawn } from "node:child_process";
import { SVC_PROGRAM } from "../../support/program.ts";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Svc {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly ended: Promise<Ended>;
  /** Resolves with the first match in standard output or error; rejects if the process ends before. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts svc with only the given environment; the admin port defaults to any free one. */
export function spawnSvc(
  args: string[],
  environment: Record<string, string> = {},
  program: readonly string[] = [SVC_PROGRAM],
): Svc {
  const child = spawn(process.execPath, [...program, ...args], {
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, AZTEC_ADMIN_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  const collect = (stream: "stdout" | "stderr") => (part: Buffer) => {
    output[stream] += part.toString("utf8");
    for (const watcher of watchers) watcher();
  };
  child.stdout.on("data", collect("stdout"));
  child.stderr.on("data", collect("stderr"));
  const ended = new Promise<Ended>((resolve) => child.once("close", (code) => resolve({ code, ...output })));
  const shows = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
        if (found === null) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      ended.then(({ code }) => reject(new Error(`svc ended with ${code} before ${pattern}:\n${output.stderr}`)));
      look();
    });
  return { child, output, ended, shows };
}

export function runSvc(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  return spawnSvc(args, environment).ended;
}
