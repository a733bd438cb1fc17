import { OperatorError } from "../errors/operator-error.ts";
import type { NodeLogger } from "./logging.ts";

/** Something that runs until it is stopped. */
export interface RunningService {
  stop(): Promise<void>;
}

/** The start was given up because the process was told to stop. */
export class StartInterruptedError extends Error {
  constructor() {
    super("the start was interrupted");
    this.name = "StartInterruptedError";
  }
}

/** Exit codes after a completed start (sheet 09 section 6.7). */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
type StopSignal = keyof typeof EXIT_CODES;

/** A stop that takes longer is cut off: the store is consistent at every instruction. */
export const STOP_LIMIT_MS = 10_000;

export interface SuperviseOptions {
  log: NodeLogger;
  /** Runs last, whatever ends the process; synchronous. */
  atExit?: () => void;
}

async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const done = await Promise.race([work.then(() => true), limit]);
  clearTimeout(timer);
  return done;
}

/**
 * Runs a service as the one work of this process: starts it, and ends the process with the exit code of what ended the service.
 * A signal during the start aborts `signal` of `start` and exits with 0; a failed start, an uncaught exception or an unhandled
 * rejection exit with 1, as does a call of `fail`, which does not return: for what a running service cannot go on after.
 */
export async function supervise(
  start: (signal: AbortSignal, fail: (error: Error) => never) => Promise<RunningService>,
  { log, atExit }: SuperviseOptions,
): Promise<void> {
  const interruption = new AbortController();
  let running: RunningService | undefined;
  let stopping = false;

  if (atExit) process.once("exit", atExit);
  const crash = (error: unknown, what: string): never => {
    log.fatal({ error }, what);
    process.exit(1);
  };
  const fail = (error: Error): never => {
    if (!(error instanceof OperatorError)) return crash(error, "the service cannot go on");
    log.fatal(error.message);
    process.exit(1);
  };
  process.on("uncaughtException", (error) => crash(error, "uncaught exception"));
  process.on("unhandledRejection", (error) => crash(error, "unhandled rejection"));

  let starting: Promise<RunningService> | undefined;
  const stop = async (signal: StopSignal): Promise<void> => {
    if (stopping) {
      log.info("Already shutting down.");
      return;
    }
    stopping = true;
    const code = running === undefined ? 0 : EXIT_CODES[signal];
    log.info({ signal }, "stopping on {signal}");
    interruption.abort(new StartInterruptedError());
    const ended = starting?.then(
      (service) => service.stop(),
      () => undefined,
    );
    try {
      const clean = await within(STOP_LIMIT_MS, Promise.resolve(ended));
      if (clean) log.info("stopped");
      else log.warn({ limitMs: STOP_LIMIT_MS }, "stopping took too long and is cut off");
    } catch (error) {
      log.error({ error }, "stopping failed");
    }
    process.exit(code);
  };
  for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) process.on(signal, () => void stop(signal));

  try {
    starting = start(interruption.signal, fail);
    running = await starting;
  } catch (error) {
    if (stopping) return;
    if (error instanceof OperatorError) log.fatal({ errorCode: error.errorCode }, error.message);
    else log.fatal({ error }, "the start failed");
    process.exit(1);
  }
}
