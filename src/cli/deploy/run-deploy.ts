import { renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Values } from "../../config/options.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { deployL1Contracts } from "../../l1/deploy/deploy-l1-contracts.ts";
import { DeploymentParameterError } from "../../l1/deploy/errors.ts";
import { progressView } from "./deploy-progress.ts";
import { deployFacts, deployReport } from "./deploy-report.ts";
import { type DeployFlags, deployRequest, type Environment } from "./deploy-request.ts";

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * A temporary file that replaces `path` once it is written. Created before the deployment, to detect a bad path early.
 */
function outputFile(path: string): { write(text: string): void; drop(): void } {
  const staged = `${path}.${process.pid}`;
  try {
    writeFileSync(staged, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DeploymentParameterError("--output", `must be a file that can be written; ${path} cannot be (${code})`);
  }
  return {
    write(text) {
      writeFileSync(staged, text);
      renameSync(staged, path);
    },
    drop: () => rmSync(staged, { force: true }),
  };
}

/** Deploys and prints. An OperatorError becomes one line on standard error and exit code 1. */
export async function runDeploy(values: Values, flags: DeployFlags, environment: Environment): Promise<void> {
  const stopped = new AbortController();
  for (const [signal, code] of Object.entries(SIGNAL_CODES)) {
    process.once(signal, () => {
      process.exitCode = code;
      stopped.abort(new Error(signal));
    });
  }
  let endProgress = (): void => {};
  let file: ReturnType<typeof outputFile> | undefined;
  try {
    const request = deployRequest(values, flags, environment);
    if (flags.output !== undefined) file = outputFile(resolve(flags.output));
    const progress = progressView(process.stderr);
    endProgress = progress.end;
    const deployed = await deployL1Contracts({ ...request, onProgress: progress.update }, stopped.signal);
    endProgress();
    const facts = deployFacts(request, deployed);
    const json = `${JSON.stringify(facts, undefined, 2)}\n`;
    process.stdout.write(flags.json ? json : deployReport(facts));
    file?.write(json);
  } catch (error) {
    endProgress();
    file?.drop();
    if (stopped.signal.aborted) {
      process.stderr.write("stopped: transactions that were sent may still be mined\n");
      return;
    }
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
