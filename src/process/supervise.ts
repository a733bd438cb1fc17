import { OperatorError } from "../errors/operator-error.ts";
import { within } from "../events/within.ts";
import type { NodeLogger } from "./logging/logging.ts";

/** A service that runs until it is stopped. */
export interface RunningService {
  stop(): Promise<void>;
}

/** The start was aborted because the process received a stop signal. */
class StartInterruptedError extends Error {
  constructor() {
    super("the start was interrupted");
    this.name = "StartInterruptedError";
  }
}

/** Exit codes after a completed start (docs/protocol/09-configuration.md#911-signals-and-exit-codes). */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** After it the process exits anyway, which is safe, since the store is always consistent. */
const STOP_LIMIT_MS = 10_000;

/**
 * Errors of the system that the operator can mend: space, rights, limits, the disk. Their message says what and where.
 */
const OF_THE_MACHINE: ReadonlySet<unknown> = new Set([
  ...[
    "ENOSPC",
    "EDQUOT",
    "EFBIG",
    "EROFS",
    "EACCES",
    "EPERM",
    "EMFILE",
    "ENFILE",
    "ENOMEM",
    "EIO",
    "ENOTDIR",
    "EISDIR",
  ],
]);

/** Such an error in a line without its stack; undefined for others. */
function machineFault(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return OF_THE_MACHINE.has(error.code) ? error.message : undefined;
}

interface SuperviseOptions {
  log: NodeLogger;
  /** Milliseconds that a stop may take; default 10 s. */
  stopLimitMs?: number;
}

/**
 * Runs a service as the main service of this process, and exits with the code that matches how the service ended. A
 * signal during the start aborts `signal` of `start` and exits with 0. A failed start, an uncaught exception or an
 * unhandled rejection exits with 1, as does `fail`, which is for fatal errors of a running service and does not return.
 * `end` is for a service whose work is done: it stops the service and exits with 0.
 */
export async function supervise(
  start: (signal: AbortSignal, fail: (error: Error) => never, end: () => void) => Promise<RunningService>,
  { log, stopLimitMs = STOP_LIMIT_MS }: SuperviseOptions,
): Promise<void> {
  const interruption = new AbortController();
  const stopping = interruption.signal;
  let running = false;
  const crash = (error: unknown, what: string): never => {
    log.fatal({ err: error }, what);
    process.exit(1);
  };
  const fail = (error: Error): never => {
    const reason = error instanceof OperatorError ? error.message : machineFault(error);
    if (reason === undefined) return crash(error, "the service cannot go on");
    log.fatal(reason);
    process.exit(1);
  };
  process.on("uncaughtException", (error) => crash(error, "uncaught exception"));
  process.on("unhandledRejection", (error) => crash(error, "unhandled rejection"));

  const stop = async (code: number): Promise<void> => {
    interruption.abort(new StartInterruptedError());
    const ended = service.then(
      (started) => started.stop(),
      () => undefined,
    );
    try {
      const clean = await within(
        ended.then(() => true),
        { ms: stopLimitMs, late: () => false },
      );
      if (clean) log.info("stopped");
      else log.warn({ limitMs: stopLimitMs }, "stopping took too long, exiting");
    } catch (error) {
      log.error({ err: error }, "stopping failed");
    }
    process.exit(code);
  };
  const stopOn = (signal: StopSignal): void => {
    if (stopping.aborted) {
      log.info("already shutting down");
      return;
    }
    log.info({ signal }, "stopping on {signal}");
    void stop(running ? EXIT_CODES[signal] : 0);
  };
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) process.on(signal, () => stopOn(signal));
  const end = (): void => {
    if (!stopping.aborted) void stop(0);
  };
  // As a promise even where the start throws, or ends, at once.
  const service = Promise.resolve().then(() => start(stopping, fail, end));

  try {
    await service;
    running = true;
  } catch (error) {
    if (stopping.aborted) return;
    if (error instanceof OperatorError) log.fatal({ errorCode: error.errorCode }, error.message);
    else {
      const reason = machineFault(error);
      if (reason === undefined) log.fatal({ err: error }, "the start failed");
      else log.fatal({ errorCode: "system", reason }, "the start failed: {reason}");
    }
    process.exit(1);
  }
}
