import cliProgress from "cli-progress";
import type { DeploymentProgress } from "../../l1/deploy/deploy-l1-contracts.ts";

interface ProgressView {
  update(progress: DeploymentProgress): void;
  end(): void;
}

/** A progress bar on a terminal; otherwise one line at the start. */
export function progressView(stream: NodeJS.WriteStream): ProgressView {
  if (!stream.isTTY) {
    stream.write("deploying the L1 contracts\n");
    return { update() {}, end() {} };
  }
  const bar = new cliProgress.SingleBar(
    { format: "deploying {bar} {value}/{total} | {step}", stream, hideCursor: true, gracefulExit: false },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1, 0, { step: "trying all transactions" });
  return {
    update({ done, total, step }) {
      bar.setTotal(total);
      bar.update(done, { step });
    },
    end: () => bar.stop(),
  };
}
