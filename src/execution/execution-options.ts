import type { CallRecordCaps } from "./vm/call-records.ts";

export type SkippedFees = "public-payer" | "all";

/** How a transaction is executed; blocks are built with the defaults. */
export interface ExecutionOptions {
  /**
   * Rules of fees that are left out. "public-payer": that the payer of a tx with public calls is not zero and can pay (sheet 05 section 8.4
   * step 9), as in the release's simulations. "all": the same for every tx, and that it offers what the block charges.
   */
  skippedFees?: SkippedFees;
  /** Keeps frames, so that a revert has a reason; `true` with the default caps. */
  recordCalls?: boolean | CallRecordCaps;
  collectDebugLogs?: boolean;
  /** Memory reads of debug logs in one tx; default 125,000. */
  maxDebugLogReads?: number;
  /** Most fields of each enqueued call's output; default 300. */
  maxOutputFields?: number;
  /** Unix time in milliseconds at which a public call is given up. */
  deadline?: number;
  /** Whether to give up: nobody wants the result any more. Asked again and again. */
  interrupted?: () => boolean;
}

export const DEFAULT_MAX_DEBUG_LOG_READS = 125_000;
