import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../../chain-store/check/fault.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { replaceFile } from "../../storage/replace-file.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import type { SnapshotCheckAnswer, SnapshotCheckRequest } from "./snapshot-check-process.ts";

/** The snapshot that a follower started from is not what its roots say. */
export class SnapshotFaultError extends OperatorError {
  override readonly errorCode: string = "snapshot-fault";
  readonly upstream: string;
  readonly fault: Fault;

  constructor(upstream: string, fault: Fault) {
    const { table, key, rule } = fault;
    super(
      `the snapshot of ${upstream} is refused: ${table} ${key}: ${rule}. The next start takes the chain by the feed`,
    );
    this.name = "SnapshotFaultError";
    this.upstream = upstream;
    this.fault = fault;
  }
}

/** By which a process ends that follows a damaged page out of the mapped file. Others end it from outside. */
const DAMAGE_SIGNALS: ReadonlySet<NodeJS.Signals> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);

/** In the data directory while the store is a snapshot that is not checked to the end, or was refused. */
const FILE = "snapshot.json";

interface Origin {
  upstream: string;
  refused: boolean;
}

function originOf(directory: string): Origin | undefined {
  const path = join(directory, FILE);
  if (!existsSync(path)) return undefined;
  try {
    const { upstream, refused } = JSON.parse(readFileSync(path, "utf8"));
    return { upstream: String(upstream), refused: refused !== false };
  } catch {
    // Of an unknown store nothing can be said; it is not large work to take it again.
    return { upstream: "an upstream", refused: true };
  }
}

/** Marks the store as a snapshot that is to be checked. */
export function snapshotTaken(directory: string, upstream: string): void {
  replaceFile(join(directory, FILE), `${JSON.stringify({ upstream, refused: false })}\n`);
}

/** Removes a chain store that was refused before. Returns whether it was. Must run before the store is opened. */
export function removeRefused({ path, chainStore }: { path: string; chainStore: string }, log: Logger): boolean {
  const origin = originOf(path);
  if (origin === undefined || !origin.refused) return false;
  for (const file of ["data.mdb", "lock.mdb"]) rmSync(join(chainStore, file), { force: true });
  rmSync(join(path, FILE), { force: true });
  log.warn({ upstream: origin.upstream }, "removed the snapshot that was refused, the chain is taken by the feed");
  return true;
}

interface SnapshotCheck {
  readonly health: HealthProbe;
  /** Does nothing after `stop`. */
  start(): void;
  stop(): Promise<void>;
}

/**
 * Once started, reads everything in a snapshot beside the running follower, in a process of low priority, and hashes it
 * up to the roots of the headers. Undefined if the store is no unchecked snapshot. Of a fault `onFault` is told.
 */
export function checkSnapshot(
  directory: string,
  { log, onFault }: { log: Logger; onFault: (error: SnapshotFaultError) => void },
): SnapshotCheck | undefined {
  const origin = originOf(directory);
  if (origin === undefined) return undefined;
  const { upstream } = origin;
  let running = true;
  let stopped = false;
  let child: ChildProcess | undefined;
  let ended = Promise.resolve();
  const refuse = (fault: Fault): void => {
    replaceFile(join(directory, FILE), `${JSON.stringify({ upstream, refused: true })}\n`);
    onFault(new SnapshotFaultError(upstream, fault));
  };
  const endedEarly = (signal: NodeJS.Signals | null): void => {
    if (signal !== null && DAMAGE_SIGNALS.has(signal)) {
      refuse({ table: "store", key: "chain", rule: `reading it ended by ${signal}, as damaged pages do` });
    } else log.warn({ upstream, signal }, "the check of the snapshot ended early, the next start repeats it");
  };
  const start = (): void => {
    if (stopped || child !== undefined) return;
    const began = performance.now();
    const started = startProcess(directory);
    child = started;
    started.once("message", ({ fault }: SnapshotCheckAnswer) => {
      running = false;
      if (fault === undefined) {
        rmSync(join(directory, FILE), { force: true });
        log.info({ upstream, seconds: Math.round((performance.now() - began) / 1000) }, "the snapshot is checked");
        return;
      }
      refuse(fault);
    });
    ended = new Promise<void>((resolve) =>
      started.once("close", (_, signal) => {
        if (running && !stopped) endedEarly(signal);
        running = false;
        resolve();
      }),
    );
  };
  return {
    health: {
      name: "snapshot",
      read: () => (running ? { state: "ok", reason: `the snapshot of ${upstream} is being checked` } : HEALTHY),
    },
    start,
    async stop() {
      stopped = true;
      child?.kill("SIGKILL");
      await ended;
    },
  };
}

function startProcess(directory: string): ChildProcess {
  const child = fork(moduleBeside(import.meta.url, "snapshot-check-process"), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const request: SnapshotCheckRequest = { directory };
  child.on("error", () => {});
  child.send(request, () => {});
  return child;
}
