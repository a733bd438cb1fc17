import { isZero, readBigUint, toHex } from "../protocol/bytes.ts";
import { FR_ZERO, type Fr, fr } from "../protocol/field.ts";
import { isForPublic, privateAccumulatedData } from "../protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../protocol/tx/gas-settings.ts";
import { type BlockState, balanceEntry } from "./block-state.ts";
import type { ContractLogs } from "./contract-directory.ts";
import { contractLogs } from "./contract-logs.ts";
import { orUnprocessable, UnprocessableTxError } from "./errors.ts";
import type { GasUsed, HashedTx } from "./executed-tx.ts";
import type { SkippedFees } from "./execution-options.ts";
import { balanceAfter, transactionFee } from "./fee.ts";
import { NO_GAS } from "./gas-budget.ts";
import { SideEffects } from "./side-effects.ts";

/** The outcome of a tx without public calls, before it is applied to the trees. */
interface PrivateOutcome {
  fee: Fr;
  gasUsed: GasUsed;
  effects: SideEffects;
  logs: ContractLogs;
}

interface Payment {
  payer: Fr;
  fee: bigint;
  isEnforced: boolean;
}

/** If fees are not enforced, payer zero pays nothing and a payer with too little pays all it has. */
function payFee(state: BlockState, effects: SideEffects, { payer, fee, isEnforced }: Payment): void {
  if (!isEnforced && isZero(payer)) return;
  const { key, contract, slot } = balanceEntry(state.siloing, payer);
  const balance = state.storage(key, contract, slot);
  const left = balanceAfter(balance, fee) ?? (isEnforced ? undefined : FR_ZERO);
  if (left === undefined) {
    throw new UnprocessableTxError(
      `Not enough balance for fee payer to pay for transaction (got ${readBigUint(balance)} needs ${fee})`,
    );
  }
  effects.write(key, { contract, slot, value: left });
}

/**
 * Computes the effects of a tx without public calls: the fee payment and the effects of its private part
 * (docs/protocol/06-public-execution.md#628-private-transactions). Throws an UnprocessableTxError or
 * MaxFeesTooLowError; errors of the fork pass through.
 */
export function runPrivateTx(state: BlockState, { tx, hash }: HashedTx, skippedFees?: SkippedFees): PrivateOutcome {
  if (isForPublic(tx.data)) throw new UnprocessableTxError("A tx in the form for public calls must have one");
  const data = orUnprocessable(() => privateAccumulatedData(tx.data));
  const [logs] = contractLogs([data], tx.contractClassLogFields);
  const { gasUsed } = txGasSettings(tx.data);
  const fee = transactionFee(state.globals, txGasSettings(tx.data), gasUsed, skippedFees);
  const effects = new SideEffects();
  payFee(state, effects, { payer: txFeePayer(tx.data), fee, isEnforced: skippedFees !== "all" });
  for (const noteHash of data.noteHashes) effects.addNoteHash(noteHash);
  for (const nullifier of data.nullifiers) {
    if (effects.hasNullifier(nullifier) || state.hasNullifier(nullifier)) {
      throw new UnprocessableTxError(`Transaction ${toHex(hash)} failed with duplicate nullifiers`);
    }
    effects.addNullifier(nullifier);
  }
  for (const message of data.l2ToL1Msgs) effects.addMessage(message);
  state.contracts.publish(logs);
  return {
    fee: fr(fee),
    gasUsed: { totalGas: gasUsed, publicGas: NO_GAS, teardownGas: NO_GAS, billedGas: gasUsed },
    effects,
    logs,
  };
}
