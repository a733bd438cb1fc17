import { join } from "node:path";

/** `npm test` has just built everything and sets this: a start from source takes twice the time. */
export const IS_BUILT = process.env.SVC_TEST_BUILT !== undefined;

/** `svc` as tests start it. */
export const SVC_PROGRAM = join(import.meta.dirname, "../..", IS_BUILT ? "build/svc/cli/main.js" : "src/cli/main.ts");

/** `svc` as single modules, for tests that change what some of them hold; to be given after NODE_OPTIONS. */
export const SVC_SOURCE = join(import.meta.dirname, "../../src/cli/main.ts");

/** Options of Node.js for programs of tests that import from `src`. */
export const NODE_OPTIONS: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  ...(IS_BUILT ? ["--import", join(import.meta.dirname, "built-modules.ts")] : []),
];
