import cliProgress from "cli-progress";
import type { Logger } from "../telemetry/logger.ts";

const LOG_INTERVAL_MS = 5_000;
const MIB = 1024 * 1024;

export interface TransferReport {
  /** Bytes so far. */
  update(bytes: number): void;
  end(): void;
}

/** Logs progress at most once every few seconds. */
export function transferLog(
  logger: Logger,
  total: number,
  message: string,
  now: () => number = Date.now,
): TransferReport {
  const start = now();
  let last = start;
  return {
    update(bytes) {
      const at = now();
      if (at - last < LOG_INTERVAL_MS) return;
      last = at;
      const mibPerSecond = Math.round((10 * bytes) / MIB / ((at - start) / 1000)) / 10;
      logger.info({ bytes, total, percent: Math.floor((100 * bytes) / Math.max(1, total)), mibPerSecond }, message);
    },
    end() {},
  };
}

/** Shows a progress bar on a terminal. */
export function transferBar(stream: NodeJS.WriteStream, total: number, name: string): TransferReport {
  const bar = new cliProgress.SingleBar(
    {
      format: `${name} {bar} {percentage}% | {value}/{total} MiB | eta {eta_formatted}`,
      stream,
      hideCursor: true,
      // The process has its own signal handlers.
      gracefulExit: false,
    },
    cliProgress.Presets.shades_classic,
  );
  const mib = (bytes: number) => Math.round((10 * bytes) / MIB) / 10;
  bar.start(mib(total), 0);
  return { update: (bytes) => bar.update(mib(bytes)), end: () => bar.stop() };
}
