import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import { joined, type Verdict } from "../../protocol/tx/verdict.ts";
import type { CheckedTx, TxSummary } from "../digest/tx-facts.ts";
import { checkAnchorBlock } from "./checks/anchor-block.ts";
import { checkContractInstance, checkData } from "./checks/content.ts";
import type { CheckContext } from "./checks/context.ts";
import { checkDoubleSpend } from "./checks/double-spend.ts";
import { checkExpiration } from "./checks/expiration.ts";
import { checkFeePerGas, checkFeesWithinLimits, checkGas, checkGasLimits, checkProtocolGas } from "./checks/gas.ts";
import { checkMetadata } from "./checks/metadata.ts";
import { checkPermitted } from "./checks/permitted.ts";
import { checkPhases } from "./checks/phases.ts";
import { checkSize } from "./checks/size.ts";

type Check<Subject = CheckedTx> = (facts: Subject, context: CheckContext) => Verdict;

/**
 * Checks by where a tx comes from, in the order in which reasons are reported. The proof is checked separately
 * (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where).
 */
const UNPRICED_RPC_CHECKS: readonly Check[] = [
  checkPermitted,
  checkExpiration,
  checkSize,
  checkMetadata,
  checkPhases,
  checkAnchorBlock,
  checkDoubleSpend,
  checkData,
  checkContractInstance,
];

export interface RpcCheckOptions {
  /** Skips the proof. */
  isSimulation: boolean;
  /** Skips all gas rules, in some generations only those of fees. */
  skipFeeEnforcement: boolean;
}

export function rpcChecks(
  { gasLimitsApart }: Pick<TransactionRules, "gasLimitsApart">,
  { isSimulation, skipFeeEnforcement }: RpcCheckOptions,
): readonly Check[] {
  if (!gasLimitsApart) return skipFeeEnforcement ? UNPRICED_RPC_CHECKS : [...UNPRICED_RPC_CHECKS, checkGas];
  const limits: Check[] = isSimulation ? [] : [checkGasLimits];
  const ofFees = isSimulation ? checkProtocolGas : checkFeesWithinLimits;
  return [...UNPRICED_RPC_CHECKS, ...limits, ...(skipFeeEnforcement ? [] : [ofFees])];
}

/** For txs that another node has vouched for: requested by hash, or sent with a block proposal. */
export const RECEIVED_CHECKS: readonly Check[] = [checkMetadata, checkSize, checkData, checkContractInstance];
export const BLOCK_CHECKS: readonly Check[] = [
  checkExpiration,
  checkPhases,
  checkAnchorBlock,
  checkDoubleSpend,
  checkGas,
];
/** For every tx that becomes pending; its setup calls are checked apart from these. */
export function poolChecks({ pending }: Pick<TransactionRules, "pending">): readonly Check<TxSummary>[] {
  return [
    checkGasLimits,
    ...(pending.minFees ? [checkFeePerGas] : []),
    checkExpiration,
    checkDoubleSpend,
    checkAnchorBlock,
  ];
}

/** Runs all checks and collects all reasons. */
export function runChecks<Subject>(checks: readonly Check<Subject>[], facts: Subject, context: CheckContext): Verdict {
  return joined(checks.map((check) => check(facts, context)));
}
