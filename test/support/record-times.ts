import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

/**
 * A set-up file for runs that measure: appends a line for each test file to the file that SVC_TEST_TIMES names, which
 * scripts/test-durations.ts reads.
 */
export interface FileTimes {
  /** Relative to the project. */
  path: string;
  /** Since the start of the process. */
  ms: number;
  /** User and system time of the process and of its child processes that have ended. */
  cpuMs: number;
}

/** proc(5): cutime and cstime are in ticks of 1/100 s. They are the 14th and 15th field after the name. */
function childrenMs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

// Registered first, so it runs after those of the test file, which end its processes.
afterAll(() => {
  const { user, system } = process.cpuUsage();
  const times: FileTimes = {
    path: relative(process.cwd(), expect.getState().testPath ?? ""),
    ms: Math.round(performance.now()),
    cpuMs: Math.round((user + system) / 1000 + childrenMs()),
  };
  appendFileSync(process.env.SVC_TEST_TIMES!, `${JSON.stringify(times)}\n`);
});
