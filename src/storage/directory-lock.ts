import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../errors/operator-error.ts";
import { isMarkedRunning, isOfThisPlace, type ProcessMark, processMark } from "./process-mark.ts";

/**
 * A lock whose holder cannot be checked from here (another machine or container) expires if not refreshed for this
 * long.
 */
const SILENCE_MS = 20_000;
const HEARTBEAT_MS = 5_000;

/** Another running process uses the data directory. */
export class DirectoryLockedError extends OperatorError {
  override readonly errorCode: string = "data-directory-in-use";

  readonly path: string;
  readonly holder: string;

  constructor(path: string, holder: string) {
    super(`data directory ${path} is in use by ${holder}; one node at a time may open it`);
    this.name = "DirectoryLockedError";
    this.path = path;
    this.holder = holder;
  }
}

export interface DirectoryLock {
  release(): void;
}

interface Holder extends ProcessMark {
  token: string;
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** The current holder of the lock, as text for an error; undefined if there is none any more. */
function liveHolder(file: string): string | undefined {
  const holder = readHolder(file);
  if (holder === undefined) return undefined;
  if (isOfThisPlace(holder)) return isMarkedRunning(holder) ? `process ${holder.pid}` : undefined;
  const silent = Date.now() - statSync(file).mtimeMs;
  return silent < SILENCE_MS
    ? `a process of another machine or container, last seen ${Math.round(silent / 1000)} s ago`
    : undefined;
}

/** Who uses a data directory now, as text; undefined if nobody does. */
export function directoryHolder(directory: string): string | undefined {
  return liveHolder(join(directory, "svc.lock"));
}

/**
 * Locks the data directory for this process. A stale lock of an ended process is taken over, so it never has to be
 * removed by hand. `onLost` is called if another process took over the lock, which means that two processes would
 * write. Throws DirectoryLockedError.
 */
export function lockDirectory(directory: string, onLost: () => void): DirectoryLock {
  const file = join(directory, "svc.lock");
  const token = randomBytes(16).toString("hex");
  const own: Holder = { token, ...processMark(process.pid) };
  const claim = join(directory, `svc.lock.${token}`);
  writeFileSync(claim, JSON.stringify(own));
  try {
    for (let attempt = 0; ; attempt++) {
      try {
        linkSync(claim, file);
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const holder = attempt < 3 ? liveHolder(file) : "a process that started at the same moment";
      if (holder !== undefined) throw new DirectoryLockedError(directory, holder);
      const aside = `${claim}.stale`;
      renameSync(file, aside);
      rmSync(aside);
    }
  } finally {
    rmSync(claim, { force: true });
  }
  const heartbeat = setInterval(() => {
    if (readHolder(file)?.token !== token) {
      clearInterval(heartbeat);
      onLost();
      return;
    }
    const now = new Date();
    utimesSync(file, now, now);
  }, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    release() {
      clearInterval(heartbeat);
      if (readHolder(file)?.token === token) rmSync(file, { force: true });
    },
  };
}
