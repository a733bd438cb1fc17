import type { CircuitContext } from "../circuits/circuit-context.ts";
import type { EpochJobs } from "./epoch-jobs.ts";
import type { EpochTerms } from "./epoch-types.ts";

/** What all parts of an epoch's proof share. */
export interface EpochContext extends CircuitContext {
  readonly terms: EpochTerms;
  readonly jobs: EpochJobs;
}
