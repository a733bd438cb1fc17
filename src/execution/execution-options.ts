import type { ExecutionRecord } from "./execution-record.ts";
import type { HintCollector } from "./hint-collector.ts";
import type { CallRecordCaps } from "./vm/call-records.ts";

export type SkippedFees = "public-payer" | "all";

/** Options of executing a transaction; blocks are built with the defaults. */
export interface ExecutionOptions {
  /**
   * Fee rules that are not enforced. "public-payer": the payer of a tx with public calls need not be nonzero and able
   * to pay (docs/protocol/06-public-execution.md#624-phases step 9), as in the reference node's simulations. "all": the
   * same for every tx, and the tx may offer less than the block charges.
   */
  skippedFees?: SkippedFees;
  /** Records frames, so that a revert has a reason; `true` uses the default caps. */
  recordCalls?: boolean | CallRecordCaps;
  collectDebugLogs?: boolean;
  /** Memory reads of debug logs in one tx; default 125,000. */
  maxDebugLogReads?: number;
  /** Maximum number of fields kept of each enqueued call's output; default 300. */
  maxOutputFields?: number;
  /** Unix milliseconds at which a public call is aborted. */
  deadline?: number;
  /** Polled during execution; returning true aborts it. */
  interrupted?: () => boolean;
  /**
   * Collects what the circuit of the public VM is told about a tx with public calls. The tx's effects are then inserted
   * into the trees one by one while it runs.
   */
  hints?: HintCollector;
  /** Told of what is executed. */
  record?: ExecutionRecord;
}

export const DEFAULT_MAX_DEBUG_LOG_READS = 125_000;
