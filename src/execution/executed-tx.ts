import type { TxGas } from "../protocol/fees/gas-fees.ts";
import type { Fr } from "../protocol/field.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { CallRecord } from "./vm/call-records.ts";

/** A tx with its hash. Computing the hash can take longer than executing the tx, so it is done once, on arrival. */
export interface HashedTx {
  hash: Fr;
  tx: Tx;
}

export type Phase = "setup" | "app" | "teardown";

/**
 * An executed enqueued call. A failed insertion of revertible private effects is shown as an app call of address zero.
 */
export interface ExecutedCall {
  phase: Phase;
  contractAddress: Fr;
  isStatic: boolean;
  reverted: boolean;
  /** First fields of its return or revert data, n x 32. */
  output: Uint8Array;
  /** Its frames, if calls were recorded. */
  record?: CallRecord;
}

/**
 * Why a tx reverted: from its first reverted enqueued call down to the innermost reverted frame
 * (docs/protocol/06-public-execution.md#631-revert-reasons).
 */
export interface RevertReason {
  originalMessage: string;
  /** From the enqueued call to the innermost frame. The selector is set if the calldata begins with one. */
  functionErrorStack: { contractAddress: Fr; functionSelector?: Uint8Array; functionName?: string }[];
  /** "0.<pc>" for each active INTERNALCALL, then for the exit. */
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

/** docs/protocol/06-public-execution.md#626-gas-and-fee. */
export interface GasUsed {
  /** Counts against the block's limit. */
  totalGas: TxGas;
  /** Setup, app logic and teardown. */
  publicGas: TxGas;
  teardownGas: TxGas;
  /** Gas paid for: as totalGas, but with the teardown limits instead of the gas that teardown used. */
  billedGas: TxGas;
}

/**
 * A transaction that a block can include. Its effect satisfies the rules of all effects
 * (docs/protocol/06-public-execution.md#629-order-of-effects).
 */
export interface ExecutedTx {
  hash: Fr;
  effect: TxEffect;
  gasUsed: GasUsed;
  /** In order; empty without public calls. */
  calls: ExecutedCall[];
  /** Set if the revert code is not zero. */
  revertReason?: RevertReason;
  debugLogs: DebugLog[];
}
