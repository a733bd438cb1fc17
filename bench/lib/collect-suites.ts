import type { Run } from "./measurement.ts";

/** A run's suites, each with its origin. */
function suitesOf({ startedAt, withReference, machine, suites }: Run): Run["suites"] {
  const origin = { startedAt, withReference, machine };
  return Object.fromEntries(Object.entries(suites).map(([name, suite]) => [name, { origin, ...suite }]));
}

/** The suites of a run that replace earlier results: without the reference none that was measured beside it. */
function replacing(earlier: Run, run: Run): Run["suites"] {
  const entries = Object.entries(suitesOf(run)).filter(
    ([name, { origin }]) => origin?.withReference || !earlier.suites[name]?.origin?.withReference,
  );
  return Object.fromEntries(entries);
}

/**
 * The results of a run together with those of an earlier collection for the suites that it did not measure. A suite
 * that failed keeps its earlier result, and the failure is named beside it.
 */
export function collectSuites(earlier: Run | undefined, run: Run): Run {
  if (earlier === undefined) return { ...run, suites: suitesOf(run) };
  const failuresLeft = Object.entries(earlier.failures).filter(([name]) => run.suites[name] === undefined);
  return {
    ...run,
    seconds: earlier.seconds + run.seconds,
    withReference: earlier.withReference || run.withReference,
    warnings: [],
    suites: { ...earlier.suites, ...replacing(earlier, run) },
    failures: { ...Object.fromEntries(failuresLeft), ...run.failures },
  };
}
