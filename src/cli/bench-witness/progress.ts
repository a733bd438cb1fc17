import cliProgress from "cli-progress";

const STEP_MS = 100;

/** Shows a progress bar on a terminal, or else logs the expected duration once. Returns a function that stops it. */
export function progressOver(seconds: number, stream: NodeJS.WriteStream): () => void {
  if (!stream.isTTY) {
    stream.write(`measuring for ${seconds} s\n`);
    return () => {};
  }
  const bar = new cliProgress.SingleBar(
    { format: "measuring {bar} {percentage}% | {value}/{total} s", stream, hideCursor: true, gracefulExit: false },
    cliProgress.Presets.shades_classic,
  );
  const started = performance.now();
  bar.start(Math.ceil(seconds), 0);
  const timer = setInterval(() => bar.update(Math.floor((performance.now() - started) / 1000)), STEP_MS);
  return () => {
    clearInterval(timer);
    bar.stop();
  };
}
