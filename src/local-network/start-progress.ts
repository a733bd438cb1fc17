import cliProgress from "cli-progress";
import type { NodeLogger } from "../process/logging/logging.ts";

/** Steps of a start; the length of the bar. */
const STEPS = 4;

export interface StartProgress {
  /** Begins a step and ends the previous one. */
  step(name: string): void;
  /** Progress within the step. */
  part(done: number, total: number): void;
  end(): void;
  /** Real time in seconds since the start. */
  seconds(): number;
}

/** Shows the progress of a start: a bar if the stream is a terminal, else a log line per step. */
export function startProgress(stream: NodeJS.WriteStream, log: Pick<NodeLogger, "info">): StartProgress {
  const began = performance.now();
  const seconds = (): number => (performance.now() - began) / 1000;
  const bar = stream.isTTY
    ? new cliProgress.SingleBar(
        { format: "{bar} {percentage}% | {name} | {duration} s", stream, hideCursor: true, gracefulExit: false },
        cliProgress.Presets.shades_classic,
      )
    : undefined;
  let steps = 0;
  bar?.start(STEPS, 0, { name: "starting" });
  return {
    step(name) {
      steps++;
      bar?.update(steps - 1, { name });
      if (bar === undefined) log.info({ seconds: Math.round(seconds() * 10) / 10 }, name);
    },
    part(done, total) {
      if (total > 0) bar?.update(steps - 1 + done / total);
    },
    end: () => bar?.stop(),
    seconds,
  };
}
