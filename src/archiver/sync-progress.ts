import cliProgress from "cli-progress";
import type { Logger } from "../telemetry/logger.ts";
import type { SyncProgress, SyncStageTimes } from "./sync-services.ts";
import type { Synchronizer } from "./synchronizer.ts";

const LOG_INTERVAL_MS = 5_000;

interface ProgressOptions {
  logger: Logger;
  /** Draws a progress bar if this is a terminal; otherwise progress is logged. */
  stream: NodeJS.WriteStream;
  now?: () => number;
}

/** Reports the progress of the initial sync and then stops. Returns a function that stops it early. */
export function reportProgress(synchronizer: Synchronizer, options: ProgressOptions): () => void {
  const report = options.stream.isTTY ? progressBar(options.stream) : progressLog(options.logger, options.now);
  const stopListening = [
    synchronizer.on("progress", (progress) => {
      if (!progress.initialSyncComplete) report.update(progress);
    }),
    synchronizer.on("initialSyncComplete", (times) => {
      end();
      options.logger.info(
        stageFacts(times),
        "initial sync is complete: {checkpoints:checkpoint}, {blocks:block}, {txs:tx}",
      );
    }),
  ];
  let ended = false;
  function end(): void {
    if (ended) return;
    ended = true;
    for (const stop of stopListening) stop();
    report.end();
  }
  return end;
}

interface Report {
  update(progress: SyncProgress): void;
  end(): void;
}

function progressBar(stream: NodeJS.WriteStream): Report {
  const bar = new cliProgress.SingleBar(
    {
      format:
        "sync {bar} {percentage}% | checkpoint {value}/{total} | block {block} | L1 {l1Block} | eta {eta_formatted}",
      stream,
      hideCursor: true,
      // The process handles signals itself.
      gracefulExit: false,
      etaBuffer: 200,
    },
    cliProgress.Presets.shades_classic,
  );
  let started = false;
  return {
    update({ checkpoint, targetCheckpoint, block, l1Block }) {
      if (!started) bar.start(targetCheckpoint, checkpoint, { block, l1Block });
      started = true;
      bar.setTotal(targetCheckpoint);
      bar.update(checkpoint, { block, l1Block });
    },
    end() {
      if (started) bar.stop();
    },
  };
}

/** Logs at most one line every few seconds, with the rate since the previous line. */
function progressLog(logger: Logger, now: () => number = Date.now): Report {
  let last: { at: number; checkpoint: number } | undefined;
  return {
    update(progress) {
      const at = now();
      last ??= { at, checkpoint: progress.checkpoint };
      const seconds = (at - last.at) / 1000;
      if (seconds * 1000 < LOG_INTERVAL_MS) return;
      const checkpointsPerSecond = Math.round((10 * (progress.checkpoint - last.checkpoint)) / seconds) / 10;
      logger.info(
        { ...progress, checkpointsPerSecond },
        "syncing from L1: checkpoint {checkpoint} of {targetCheckpoint}",
      );
      last = { at, checkpoint: progress.checkpoint };
    },
    end() {},
  };
}

/** Counts unchanged, times in whole milliseconds. */
export function stageFacts(times: SyncStageTimes): Record<string, number> {
  const { checkpoints, blocks, txs, ...stages } = times;
  const rounded = Object.entries(stages).map(([stage, ms]) => [`${stage}Ms`, Math.round(ms)]);
  return { checkpoints, blocks, txs, ...Object.fromEntries(rounded) };
}
