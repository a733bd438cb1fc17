import { isDeepStrictEqual } from "node:util";
import type { Report, Tally } from "../report.ts";

/** A step failed, so that those which build on it cannot run. It is in the report. */
class FailedStep extends Error {}

/** One group of steps of a wallet, and what became of them. */
export class Checks {
  readonly #tally: Tally;

  private constructor(tally: Tally) {
    this.#tally = tally;
  }

  /** Runs a group; its first failed step ends it. */
  static async run(report: Report, name: string, steps: (checks: Checks) => Promise<void>): Promise<void> {
    const tally = report.of(name);
    const started = Date.now();
    try {
      await steps(new Checks(tally));
    } catch (error) {
      if (!(error instanceof FailedStep)) tally.failures.push(textOf(error));
    }
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stderr.write(`${name}: ${tally.failures.join("; ") || "done"}, ${seconds} s\n`);
  }

  /** The step must succeed. */
  async succeeds<T>(what: string, step: () => Promise<T>): Promise<T> {
    try {
      const result = await step();
      this.#tally.accepted++;
      return result;
    } catch (error) {
      this.#tally.failures.push(`${what}: ${textOf(error)}`);
      throw new FailedStep();
    }
  }

  /** The step must fail with these words. */
  async refuses(what: string, words: RegExp, step: () => Promise<unknown>): Promise<void> {
    const outcome = await step().then(
      () => "succeeded",
      (error) => textOf(error),
    );
    if (words.test(outcome)) this.#tally.refused++;
    else this.#tally.failures.push(`${what}: ${outcome} instead of ${words}`);
  }

  equals(what: string, actual: unknown, expected: unknown): void {
    if (isDeepStrictEqual(actual, expected)) this.#tally.equal++;
    else this.#tally.failures.push(`${what}: ${shown(actual)} instead of ${shown(expected)}`);
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " ");
}
