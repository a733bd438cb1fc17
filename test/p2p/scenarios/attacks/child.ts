import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { NODE_OPTIONS } from "../../../support/program.ts";

/** A child process that is told things over stdin and answers with lines. */
export class Child {
  readonly process: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];
  log = "";
  ended = false;

  constructor(file: string, environment: Record<string, string> = {}) {
    const options = [...NODE_OPTIONS, join(import.meta.dirname, file)];
    const env = { ...process.env, ...environment };
    this.process = spawn(process.execPath, options, { stdio: ["pipe", "pipe", "pipe"], env });
    createInterface(this.process.stdout!).on("line", (line) => this.#waiting.shift()?.(line));
    this.process.stderr!.on("data", (chunk) => {
      this.log += chunk;
    });
    this.process.once("exit", () => {
      this.ended = true;
      for (const waiting of this.#waiting.splice(0)) waiting("");
    });
  }

  /** Tells `order`, and resolves with the next line; with an empty one if the process ended. */
  line(order?: unknown): Promise<string> {
    if (this.ended) return Promise.resolve("");
    const answer = new Promise<string>((resolve) => this.#waiting.push(resolve));
    if (order !== undefined) this.process.stdin!.write(`${JSON.stringify(order)}\n`);
    return answer;
  }

  async end(): Promise<void> {
    if (this.ended) return;
    const exit = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin!.end();
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 20_000);
    await exit;
    clearTimeout(timer);
  }
}
