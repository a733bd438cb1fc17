import type { Fr } from "../../protocol/field.ts";
import type { CallRecords } from "./call-records.ts";
import type { Gas } from "./gas.ts";
import type { Tracer } from "./trace.ts";

/** The block that is being built (sheet 05 section 3.2). */
export interface VmGlobals {
  readonly chainId: Fr;
  readonly version: Fr;
  readonly blockNumber: number;
  /** Seconds, below 2^64. */
  readonly timestamp: bigint;
  /** Base fees, below 2^128. */
  readonly feePerL2Gas: bigint;
  readonly feePerDaGas: bigint;
}

/** One enqueued call. */
export interface RunRequest {
  readonly address: Fr;
  readonly sender: Fr;
  /** n x 32. */
  readonly calldata: Uint8Array;
  readonly isStatic: boolean;
  /** What the call may use. */
  readonly gas: Gas;
  /** Gas that the transaction had used before this call; only for the text of an out-of-gas halt. */
  readonly gasUsedBefore?: Gas;
  /** Gas that the transaction may use in all; only for that text too. Default: gasUsedBefore + gas. */
  readonly gasLimit?: Gas;
  /** Zero but in teardown. */
  readonly transactionFee: Fr;
  readonly globals: VmGlobals;
}

export interface RunOptions {
  /** Hands DEBUGLOG entries to the host; off, the instruction only costs gas. */
  readonly collectDebugLogs?: boolean;
  readonly calls?: CallRecords;
  /** Most fields of output to copy; default 300. */
  readonly maxOutputFields?: number;
  /** Sees every instruction; slow. */
  readonly trace?: Tracer;
  /** Unix time in milliseconds after which the run is given up with a VmDeadlineError. */
  readonly deadline?: number;
  /** Asked some thousand times a second; once it says yes, the run is given up with a VmInterruptedError. */
  readonly interrupted?: () => boolean;
}

export interface RunResult {
  /** "halted": an exceptional halt, or no program at the address. */
  readonly ended: "returned" | "reverted" | "halted";
  /** First fields of what was returned or reverted with, n x 32. Cells beyond the end of memory are read from its start. */
  readonly output: Uint8Array;
  /** Fields as the instruction gave them, 0 to 2^32-1; 0 when halted. */
  readonly outputSize: number;
  /** Zero when halted. */
  readonly gasLeft: Gas;
  readonly gasUsed: Gas;
  /** Why it did not return (sheet 05 section 10.5). */
  readonly haltMessage?: string;
  /** pc of the instruction that ended it. */
  readonly pc: number;
}
