import type { Core } from "../../core/core.ts";
import type { EpochJobs } from "./epoch-jobs.ts";
import type { EpochTerms } from "./epoch-types.ts";

/** What all parts of an epoch's proof share. */
export interface EpochContext {
  readonly core: Core;
  readonly terms: EpochTerms;
  readonly jobs: EpochJobs;
}
