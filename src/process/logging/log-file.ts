import { closeSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { LogFileError, type OpenFile, openLogFile } from "./open-log-file.ts";

interface LogFileOptions {
  path: string;
  /** A line that would make the file longer begins another. */
  maxBytes: number;
  /** So does a line when the file is older. */
  maxAgeMs: number;
  /** Files with earlier lines that are kept: `path.1` is the latest. */
  kept: number;
  /** Is told once when lines cannot be written or the file not be rotated, and once when they can again. */
  complain(text: string): void;
}

/** Lines are tried again this long after one could not be written. */
const MS_BETWEEN_ATTEMPTS = 10_000;
/** A rotation that failed is tried again after a tenth of the file's highest age, or after this if it is less. */
const MAX_MS_BETWEEN_ROTATIONS = 3_600_000;
/** For other programs that move, remove or empty the file. */
const MS_BETWEEN_LOOKS = 1000;
/** Higher numbers, such as dates, are another program's. */
const MAX_NUMBER = 10_000;

const reasonOf = (error: unknown): string | undefined =>
  error instanceof LogFileError ? error.reason : (error as NodeJS.ErrnoException).code;

/**
 * Makes `path` the file `path.1`. Earlier files move up as far as to the first free number: none is lost by a failure.
 */
function shift(path: string): void {
  const numbered = (n: number): string => (n === 0 ? path : `${path}.${n}`);
  let free = 1;
  while (existsSync(numbered(free))) free += 1;
  for (let n = free; n > 0; n--) renameSync(numbered(n - 1), numbered(n));
}

/** Removes the earlier files with numbers above `kept`. */
function removeAbove(path: string, kept: number): void {
  const prefix = `${basename(path)}.`;
  for (const entry of readdirSync(dirname(path), { withFileTypes: true })) {
    const { name } = entry;
    const number = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    const surplus = /^[1-9]\d*$/.test(number) && Number(number) > kept && Number(number) <= MAX_NUMBER + 1;
    if (surplus && !entry.isDirectory()) rmSync(join(dirname(path), name), { force: true });
  }
}

/**
 * A file of log lines that is rotated when it is long or old. Writes are synchronous, so that the last lines before a
 * crash are there. A line that cannot be written is left out and ends nothing; a file that cannot be rotated grows on.
 * Lines follow the path: a file that another process moves or removes is opened anew within a second.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #file: OpenFile | undefined;
  /** The times are those of performance.now(). */
  #failedAt: number | undefined;
  #lookedAt = performance.now();
  /** No rotation is tried before, since one failed. */
  #rotatesAt: number | undefined;
  #torn = false;
  readonly #complaints: string[] = [];

  /** Throws a LogFileError if the file cannot be opened. */
  constructor(options: LogFileOptions) {
    this.#options = { ...options, path: resolve(options.path) };
    this.#file = openLogFile(this.#options.path);
  }

  write(line: string): void {
    if (this.#failedAt !== undefined && performance.now() - this.#failedAt < MS_BETWEEN_ATTEMPTS) return;
    const { path, complain } = this.#options;
    try {
      this.#append(this.#fileFor(Buffer.byteLength(line)), line);
      if (this.#failedAt !== undefined) this.#complaints.push(`the log file ${path} is written again`);
      this.#failedAt = undefined;
    } catch (error) {
      const told = `the log file ${path} cannot be written (${reasonOf(error)}): lines are missing in it until it can`;
      if (this.#failedAt === undefined) this.#complaints.push(told);
      this.#failedAt = performance.now();
      this.#close();
    }
    // Each comes here as a line.
    for (const text of this.#complaints.splice(0)) complain(text);
  }

  #append(file: OpenFile, line: string): void {
    // What was written of a line before the disk was full is not joined with the next.
    const bytes = Buffer.from(this.#torn ? `\n${line}` : line);
    for (let at = 0; at < bytes.length; ) {
      at += writeSync(file.fd, bytes, at);
      this.#torn = at < bytes.length;
    }
    file.bytes += bytes.length;
  }

  #fileFor(bytes: number): OpenFile {
    this.#file ??= openLogFile(this.#options.path);
    if (performance.now() - this.#lookedAt >= MS_BETWEEN_LOOKS) this.#file = this.#look(this.#file);
    if (!this.#isDue(this.#file, bytes)) return this.#file;
    // Another process may have rotated it meanwhile.
    this.#file = this.#look(this.#file);
    if (this.#isDue(this.#file, bytes)) this.#file = this.#rotate(this.#file);
    return this.#file;
  }

  #isDue({ replaceable, bytes: written, since }: OpenFile, bytes: number): boolean {
    const { maxBytes, maxAgeMs } = this.#options;
    if (!replaceable || written === 0 || performance.now() < (this.#rotatesAt ?? 0)) return false;
    return written + bytes > maxBytes || Date.now() - since >= maxAgeMs;
  }

  /** The file at the path: another one if the open one is no longer there. */
  #look(file: OpenFile): OpenFile {
    const { path } = this.#options;
    this.#lookedAt = performance.now();
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.ino !== file.ino || there.dev !== file.dev) return this.#reopen();
    if (there.size < file.bytes) file.since = Date.now();
    file.bytes = there.size;
    return file;
  }

  #rotate(file: OpenFile): OpenFile {
    const { path, maxAgeMs, kept } = this.#options;
    try {
      shift(path);
    } catch (error) {
      if (this.#rotatesAt === undefined) {
        this.#complaints.push(`the log file ${path} cannot be rotated (${reasonOf(error)}): it grows until it can`);
      }
      this.#rotatesAt = performance.now() + Math.min(maxAgeMs / 10, MAX_MS_BETWEEN_ROTATIONS);
      return file;
    }
    if (this.#rotatesAt !== undefined) this.#complaints.push(`the log file ${path} is rotated again`);
    this.#rotatesAt = undefined;
    const next = this.#reopen();
    try {
      removeAbove(path, kept);
    } catch (error) {
      this.#complaints.push(`earlier log files of ${path} cannot be removed (${reasonOf(error)})`);
    }
    return next;
  }

  #reopen(): OpenFile {
    this.#close();
    this.#torn = false;
    this.#file = openLogFile(this.#options.path);
    return this.#file;
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
