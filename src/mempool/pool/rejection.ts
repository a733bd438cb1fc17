import { toHex } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";

/**
 * Why the pool rejects a valid tx (docs/protocol/07-transactions-and-fees.md#717-sending-over-rpc). Fees in fee asset
 * units per gas, amounts in fee asset units.
 */
export type PoolRejection = { message: string } & (
  | {
      code: "NULLIFIER_CONFLICT";
      conflictingTxHash: Fr;
      /** Absent when a higher fee would not help. */
      minimumPriceBumpFee?: bigint;
      txPriorityFee?: bigint;
    }
  | { code: "LOW_PRIORITY_FEE"; minimumPriorityFee: bigint; txPriorityFee: bigint }
  | { code: "INSUFFICIENT_FEE_PAYER_BALANCE"; currentBalance: bigint; availableBalance: bigint; feeLimit: bigint }
);

/** `fees` when a higher fee would help. */
export function nullifierConflict(conflicting: Fr, fees?: { minimum: bigint; got: bigint }): PoolRejection {
  const conflict = `Nullifier conflict with existing tx ${toHex(conflicting)}`;
  if (fees === undefined) return { code: "NULLIFIER_CONFLICT", message: conflict, conflictingTxHash: conflicting };
  return {
    code: "NULLIFIER_CONFLICT",
    message: `${conflict}. Minimum required fee: ${fees.minimum}, got: ${fees.got}`,
    conflictingTxHash: conflicting,
    minimumPriceBumpFee: fees.minimum,
    txPriorityFee: fees.got,
  };
}

export function lowPriorityFee(minimum: bigint, got: bigint): PoolRejection {
  return {
    code: "LOW_PRIORITY_FEE",
    message: `Tx does not meet minimum priority fee. Required: ${minimum}, got: ${got}`,
    minimumPriorityFee: minimum,
    txPriorityFee: got,
  };
}

interface UncoveredFee {
  payer: Fr;
  /** The payer's balance before any of its txs. */
  balance: bigint;
  /** What is left of it at the tx's turn. */
  available: bigint;
  feeLimit: bigint;
}

export function insufficientBalance({ payer, balance, available, feeLimit }: UncoveredFee): PoolRejection {
  const amounts = `Balance at transaction: ${available}, required: ${feeLimit}`;
  return {
    code: "INSUFFICIENT_FEE_PAYER_BALANCE",
    message: `Fee payer ${toHex(payer)} has insufficient balance. ${amounts}`,
    currentBalance: balance,
    availableBalance: available,
    feeLimit,
  };
}
