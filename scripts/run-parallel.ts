/**
 * Runs scripts of package.json in the current folder beside each other, one for each core. Prints the output of each
 * when it has ended, and last the names of those that failed.
 * usage: run-parallel.ts <script or prefix*>...
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** Names of `scripts` that the patterns select, in the order of the patterns. A `*` stands for any end of a name. */
function selected(scripts: Readonly<Record<string, string>>, patterns: readonly string[]): string[] {
  const names = patterns.flatMap((pattern) => {
    const found = pattern.endsWith("*")
      ? Object.keys(scripts).filter((name) => name.startsWith(pattern.slice(0, -1)))
      : Object.keys(scripts).filter((name) => name === pattern);
    if (found.length === 0) throw new Error(`package.json has no script ${pattern}`);
    return found;
  });
  return [...new Set(names)];
}

/** Runs a command of the shell; resolves with whether it ended with 0. */
function run(name: string, command: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
    const output: Buffer[] = [];
    child.stdout.on("data", (part: Buffer) => output.push(part));
    child.stderr.on("data", (part: Buffer) => output.push(part));
    child.once("close", (code) => {
      if (output.length > 0) process.stdout.write(`${name}:\n${Buffer.concat(output).toString("utf8")}`);
      resolve(code === 0);
    });
  });
}

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const waiting = selected(scripts, process.argv.slice(2));
const failed: string[] = [];
const worker = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
    if (!(await run(name, scripts[name]))) failed.push(name);
};
await Promise.all(Array.from({ length: availableParallelism() }, worker));
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
