import type { Fr } from "../protocol/field.ts";
import type { TxGas } from "../protocol/tx/gas-settings.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { CallRecord } from "./vm/call-records.ts";

/** A tx and its hash, which takes longer to compute than many a tx takes to execute: who took the tx in knows it already. */
export interface HashedTx {
  hash: Fr;
  tx: Tx;
}

export type Phase = "setup" | "app" | "teardown";

/** An enqueued call that was executed. The insertion of revertible private effects that fails shows as an app call of address zero. */
export interface ExecutedCall {
  phase: Phase;
  contractAddress: Fr;
  isStatic: boolean;
  reverted: boolean;
  /** First fields of what it returned or reverted with, n x 32. */
  output: Uint8Array;
  /** Frames inside it; there when calls were recorded. */
  record?: CallRecord;
}

/** Why a tx reverted: the first enqueued call that did, down to the innermost frame (sheet 05 section 10.4). */
export interface RevertReason {
  originalMessage: string;
  /** From the enqueued call to the innermost frame. The selector is there when the calldata begins with one. */
  functionErrorStack: { contractAddress: Fr; functionSelector?: Uint8Array; functionName?: string }[];
  /** "0.<pc>" of the INTERNALCALLs that were active and of the exit. */
  noirErrorStack: string[];
  /** n x 32. */
  revertData: Uint8Array;
}

export const DEBUG_LOG_LEVELS = ["silent", "fatal", "error", "warn", "info", "verbose", "debug", "trace"] as const;

export interface DebugLog {
  contractAddress: Fr;
  level: (typeof DEBUG_LOG_LEVELS)[number];
  message: string;
  /** n x 32. */
  fields: Uint8Array;
}

/** Sheet 05 section 8.6. */
export interface GasUsed {
  /** What counts for the block. */
  totalGas: TxGas;
  /** Setup, app logic and teardown. */
  publicGas: TxGas;
  teardownGas: TxGas;
  /** What is paid for: with the teardown limits instead of what teardown used. */
  billedGas: TxGas;
}

/** A transaction that can be in a block: its effect, checked by the rules of every effect (sheet 05 section 10). */
export interface ExecutedTx {
  hash: Fr;
  effect: TxEffect;
  gasUsed: GasUsed;
  /** In order; none without public calls. */
  calls: ExecutedCall[];
  /** There when the revert code is not zero. */
  revertReason?: RevertReason;
  debugLogs: DebugLog[];
}
