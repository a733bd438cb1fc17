import cliProgress from "cli-progress";

/** Steps between two looks at the clock. */
const STEPS = 64;
const REDRAW_MS = 100;
const LINE_MS = 5_000;

interface CheckProgress {
  stage(name: string, total: number): void;
  step(count?: number): void;
  /** Takes the bar off the terminal. */
  end(): void;
}

/**
 * A bar on a terminal; elsewhere a line when a part begins and every 5 s. The check never gives way, so all is drawn
 * from its steps.
 */
export function checkProgress(stream: NodeJS.WriteStream): CheckProgress {
  const bar = stream.isTTY
    ? new cliProgress.SingleBar(
        { format: "checking {part} {bar} {value}/{total}", stream, hideCursor: true, gracefulExit: false },
        cliProgress.Presets.shades_classic,
      )
    : undefined;
  let part = "";
  let done = 0;
  let total = 0;
  let shown = performance.now();
  const show = (): void => {
    shown = performance.now();
    if (bar !== undefined) bar.update(done);
    else stream.write(`checking ${part}: ${done} of ${total}\n`);
  };
  return {
    stage(name, expected) {
      part = name;
      done = 0;
      total = expected;
      shown = performance.now();
      if (bar === undefined) stream.write(`checking ${part}\n`);
      else bar.start(total, 0, { part });
    },
    step(count = 1) {
      done += count;
      if (done > total) total = done;
      if (done % STEPS === 0 && performance.now() - shown > (bar === undefined ? LINE_MS : REDRAW_MS)) show();
    },
    end() {
      bar?.stop();
    },
  };
}
