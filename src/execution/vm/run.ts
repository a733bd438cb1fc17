import type { Fr } from "../../protocol/field.ts";
import type { CallRecords } from "./call-records.ts";
import type { Gas } from "./gas.ts";
import type { Tracer } from "./trace.ts";

/** The block that is being built (docs/protocol/06-public-execution.md#67-environment). */
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
  /** Gas that the call may use. */
  readonly gas: Gas;
  /** Gas that the transaction had used before this call; used only in the text of an out-of-gas halt. */
  readonly gasUsedBefore?: Gas;
  /** Gas limit of the transaction; also used only in that text. Default: gasUsedBefore + gas. */
  readonly gasLimit?: Gas;
  /** Zero except in teardown. */
  readonly transactionFee: Fr;
  readonly globals: VmGlobals;
}

export interface RunOptions {
  /** Passes DEBUGLOG entries to the host. Off: the instruction only costs gas. */
  readonly collectDebugLogs?: boolean;
  readonly calls?: CallRecords;
  /** Maximum number of output fields to copy; default 300. */
  readonly maxOutputFields?: number;
  /** Called before every instruction; slow. */
  readonly trace?: Tracer;
  /** Unix milliseconds after which the run is aborted with a VmDeadlineError. */
  readonly deadline?: number;
  /** Polled some thousand times a second. When it returns true, the run is aborted with a VmInterruptedError. */
  readonly interrupted?: () => boolean;
}

export interface RunResult {
  /** "halted": an exceptional halt, or no program at the address. */
  readonly ended: "returned" | "reverted" | "halted";
  /** First fields of the return or revert data, n x 32. Reads beyond the end of memory wrap to its start. */
  readonly output: Uint8Array;
  /** Size of the return or revert data in fields, 0 to 2^32-1; 0 when halted. */
  readonly outputSize: number;
  /** Zero when halted. */
  readonly gasLeft: Gas;
  readonly gasUsed: Gas;
  /** Why the run did not return (docs/protocol/06-public-execution.md#632-texts-of-halts). */
  readonly haltMessage?: string;
  /** pc of the instruction that ended the run. */
  readonly pc: number;
}
