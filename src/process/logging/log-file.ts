import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { OperatorError } from "../../errors/operator-error.ts";

/** The file of the log cannot be opened. */
class LogFileError extends OperatorError {
  override readonly errorCode: string = "log-file";
  readonly path: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`--log-file ${path} must be a file that this user can write, in a folder that exists (${cause.code})`, {
      cause,
    });
    this.name = "LogFileError";
    this.path = path;
  }
}

interface LogFileOptions {
  path: string;
  /** A line that would make the file longer begins another. */
  maxBytes: number;
  /** So does a line when the file is older. */
  maxAgeMs: number;
  /** Files with earlier lines that are kept: `path.1` is the latest. */
  kept: number;
  /** Is told once when lines cannot be written, and once when they are again. */
  complain(text: string): void;
}

/** Lines are tried again this long after one could not be written. */
const MS_BETWEEN_ATTEMPTS = 10_000;

interface OpenFile {
  fd: number;
  bytes: number;
  /** Unix milliseconds. */
  since: number;
  /** Devices and pipes stay where they are. */
  replaceable: boolean;
}

/**
 * A file of log lines that is replaced when it is long or old. Writes are synchronous, so that the last lines before a
 * crash are there. A line that cannot be written is left out and ends nothing. One process at a time writes to it.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #file: OpenFile | undefined;
  #failedAt: number | undefined;
  #torn = false;

  /** Throws a LogFileError if the file cannot be opened. */
  constructor(options: LogFileOptions) {
    this.#options = { ...options, path: resolve(options.path) };
    try {
      this.#file = this.#open();
    } catch (error) {
      throw new LogFileError(options.path, error as NodeJS.ErrnoException);
    }
  }

  write(line: string): void {
    if (this.#failedAt !== undefined && Date.now() - this.#failedAt < MS_BETWEEN_ATTEMPTS) return;
    const { path, complain } = this.#options;
    try {
      // What was written of a line before the disk was full is not joined with the next.
      const bytes = Buffer.from(this.#torn ? `\n${line}` : line);
      const file = this.#fileFor(bytes.length);
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(file.fd, bytes, at);
        this.#torn = at < bytes.length;
      }
      file.bytes += bytes.length;
      const failed = this.#failedAt !== undefined;
      this.#failedAt = undefined;
      if (failed) complain(`the log file ${path} is written again`);
    } catch (error) {
      const first = this.#failedAt === undefined;
      // Before the complaint, which comes here as a line.
      this.#failedAt = Date.now();
      this.#close();
      const { code } = error as NodeJS.ErrnoException;
      if (first) complain(`the log file ${path} cannot be written (${code}): lines are missing in it until it can`);
    }
  }

  #open(): OpenFile {
    const fd = openSync(this.#options.path, "a", 0o640);
    const stat = fstatSync(fd);
    const { size: bytes, birthtimeMs, ctimeMs } = stat;
    // Some file systems do not know when a file was made.
    const since = bytes === 0 ? Date.now() : birthtimeMs || ctimeMs;
    return { fd, bytes, since, replaceable: stat.isFile() };
  }

  #fileFor(bytes: number): OpenFile {
    this.#file ??= this.#open();
    const { maxBytes, maxAgeMs } = this.#options;
    const { bytes: written, since, replaceable } = this.#file;
    if (replaceable && written > 0 && (written + bytes > maxBytes || Date.now() - since >= maxAgeMs)) {
      this.#close();
      this.#shift();
      this.#file = this.#open();
      this.#file.since = Date.now();
    }
    return this.#file;
  }

  /** `path.1` becomes `path.2` and so on; the oldest goes. */
  #shift(): void {
    const { path, kept } = this.#options;
    const numbered = (n: number): string => (n === 0 ? path : `${path}.${n}`);
    rmSync(numbered(kept), { force: true });
    for (let n = kept - 1; n >= 0; n--) {
      try {
        renameSync(numbered(n), numbered(n + 1));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
  }

  #close(): void {
    if (this.#file === undefined) return;
    const { fd } = this.#file;
    this.#file = undefined;
    try {
      closeSync(fd);
    } catch {
      // A deferred error of a write, which was told or is told by the next.
    }
  }
}
