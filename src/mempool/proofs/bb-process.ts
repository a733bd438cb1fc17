import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type BbAnswer, decodeAnswer } from "./bb-api.ts";
import { BbProgramError } from "./bb-program.ts";

/** An answer is small; a longer one means that the output is not of the protocol. */
const MAX_ANSWER_BYTES = 1 << 20;
/** Bytes of the program's error output that are kept for messages. */
const MAX_LOG_LENGTH = 2048;

export interface BbProcessOptions {
  program: string;
  /** Threads of a command. */
  threads: number;
  /** Folder with the first point of the reference string (PointFolder), for a program that reads it. */
  points?: string;
  /** Working directory; that of this process by default. */
  cwd?: string;
}

/** Only what the program needs: this process's environment may hold keys. */
function environment({ threads, points }: BbProcessOptions): NodeJS.ProcessEnv {
  const { PATH, HOME, LD_LIBRARY_PATH } = process.env;
  return { PATH, HOME, LD_LIBRARY_PATH, CRS_PATH: points, HARDWARE_CONCURRENCY: String(threads) };
}

interface Pending {
  resolve(answer: BbAnswer): void;
  reject(error: unknown): void;
}

/**
 * A running bb (`bb msgpack run`). Commands go to its input and answers come from its output in the same order, each
 * behind its length (4 bytes, little-endian). The process ends when its input is closed, thus with this process.
 */
export class BbProcess {
  readonly #program: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #pending: Pending[] = [];
  #received: Buffer = Buffer.alloc(0);
  #log = "";
  #ended: BbProgramError | undefined;
  readonly #closed: Promise<void>;

  constructor(options: BbProcessOptions) {
    const { program, cwd } = options;
    this.#program = program;
    this.#child = spawn(program, ["msgpack", "run"], {
      cwd,
      env: environment(options),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const { stdin, stdout, stderr } = this.#child;
    // Writing to a process that ended fails; the end itself is reported by the close event.
    stdin.on("error", () => {});
    stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    stderr.on("data", (chunk: Buffer) => {
      this.#log = (this.#log + chunk.toString("utf8")).slice(-MAX_LOG_LENGTH);
    });
    this.#child.on("error", ({ message }) => this.#end(`cannot be started: ${message}`));
    this.#closed = new Promise((resolve) =>
      this.#child.on("close", (code, signal) => {
        this.#end(`ended by ${signal ?? `exit code ${code}`}: ${this.#log.trim().slice(-200)}`);
        resolve();
      }),
    );
  }

  /** False once the process ended or was ended. */
  get running(): boolean {
    return this.#ended === undefined;
  }

  /** Sends a command. Rejects with a BbProgramError when the process ends before it answers. */
  call(command: Uint8Array): Promise<BbAnswer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const framed = Buffer.allocUnsafe(4 + command.length);
    framed.writeUInt32LE(command.length);
    framed.set(command, 4);
    this.#child.stdin.write(framed);
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }));
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    while (this.#received.length >= 4) {
      const length = this.#received.readUInt32LE(0);
      if (length > MAX_ANSWER_BYTES) {
        this.kill(`answered with ${length} bytes`);
        return;
      }
      if (this.#received.length < 4 + length) return;
      const answer = this.#received.subarray(4, 4 + length);
      this.#received = this.#received.subarray(4 + length);
      const pending = this.#pending.shift();
      if (pending === undefined) {
        this.kill("answered without a command");
        return;
      }
      try {
        pending.resolve(decodeAnswer(answer));
      } catch (error) {
        pending.reject(error);
      }
    }
  }

  /** Kills the process; commands without an answer fail with `rule`. */
  kill(rule: string): void {
    this.#end(rule);
    this.#child.kill("SIGKILL");
  }

  /** Closes the input and resolves when the process has ended. */
  async close(): Promise<void> {
    this.#end("was closed");
    this.#child.stdin.end();
    await this.#closed;
  }

  #end(rule: string): void {
    this.#ended ??= new BbProgramError(this.#program, rule);
    for (const { reject } of this.#pending.splice(0)) reject(this.#ended);
  }
}
