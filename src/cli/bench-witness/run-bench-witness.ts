import { OperatorError } from "../../errors/operator-error.ts";
import { BenchWitnessError } from "./errors.ts";
import { measureWitnesses } from "./measure.ts";
import { type PlanTexts, parsePlan } from "./plan.ts";
import { progressOver } from "./progress.ts";
import { witnessReport } from "./report.ts";

const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Measures and prints. An OperatorError becomes one line on standard error and exit code 1. A signal ends it early. */
export async function runBenchWitness(
  dataDirectory: string | undefined,
  texts: PlanTexts,
  json: boolean,
): Promise<void> {
  let endProgress = (): void => {};
  const ended = new AbortController();
  for (const [signal, code] of Object.entries(SIGNAL_CODES)) {
    process.once(signal, () => {
      process.exitCode = code;
      ended.abort();
    });
  }
  try {
    const plan = parsePlan(texts);
    if (dataDirectory === undefined)
      throw new BenchWitnessError("--data-directory", "must name the data directory of a node");
    const begun = (): void => {
      endProgress = progressOver(plan.warmUpSeconds + plan.seconds, process.stderr);
    };
    const figures = await measureWitnesses({ dataDirectory, plan, begun, signal: ended.signal });
    endProgress();
    process.stdout.write(json ? `${JSON.stringify(figures, undefined, 2)}\n` : witnessReport(figures));
  } catch (error) {
    endProgress();
    if (ended.signal.aborted) return;
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = 1;
  }
}
