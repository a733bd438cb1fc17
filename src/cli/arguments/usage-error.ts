import { OperatorError } from "../../errors/operator-error.ts";

/** Runs a command. An OperatorError becomes one line on standard error and exit code 1. */
export async function orUsageError(work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
