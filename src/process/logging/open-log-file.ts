import { accessSync, closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { OperatorError } from "../../errors/operator-error.ts";

/** The file of the log cannot be opened. */
export class LogFileError extends OperatorError {
  override readonly errorCode: string = "log-file";
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, cause?: Error) {
    super(`--log-file ${path} must be a file that this user can write, in a folder that exists (${reason})`, { cause });
    this.name = "LogFileError";
    this.path = path;
    this.reason = reason;
  }
}

/** Throws a LogFileError where `work` fails. */
function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof LogFileError) throw error;
    const cause = error as NodeJS.ErrnoException;
    throw new LogFileError(path, cause.code ?? cause.message, cause);
  }
}

/** A pipe is opened when it has a reader, and full when the reader is slow: writing would stop the process. */
const PIPE = "a pipe";

/** Throws a LogFileError if the file could not be opened. Creates nothing. */
export function requireLogFile(path: string): void {
  attempt(path, () => {
    const { W_OK, X_OK } = constants;
    const stat = statSync(path, { throwIfNoEntry: false });
    // With the slash a folder that is a file is an error.
    if (stat === undefined) return accessSync(`${dirname(path)}/`, W_OK | X_OK);
    if (stat.isDirectory()) throw new LogFileError(path, "EISDIR");
    if (stat.isFIFO()) throw new LogFileError(path, PIPE);
    return accessSync(path, W_OK);
  });
}

export interface OpenFile {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  bytes: number;
  /** Unix milliseconds. */
  since: number;
  /** Devices stay where they are. */
  readonly replaceable: boolean;
}

/** Opens a file to append to, which is made if it is not there. Throws a LogFileError. */
export function openLogFile(path: string): OpenFile {
  return attempt(path, () => {
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) throw new LogFileError(path, PIPE);
    const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants;
    // A pipe that has just come there does not block either.
    const fd = openSync(path, O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY, 0o640);
    const stat = fstatSync(fd);
    if (stat.isFIFO()) {
      closeSync(fd);
      throw new LogFileError(path, PIPE);
    }
    const { dev, ino, size: bytes, birthtimeMs, ctimeMs } = stat;
    // Some file systems do not know when a file was made.
    const since = bytes === 0 ? Date.now() : birthtimeMs || ctimeMs;
    return { fd, dev, ino, bytes, since, replaceable: stat.isFile() };
  });
}
