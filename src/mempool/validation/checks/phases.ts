import { bigUintBytes, equal } from "../../../protocol/bytes.ts";
import { FR_MODULUS } from "../../../protocol/field.ts";
import type { AllowedSetupCall } from "../../../protocol/generations/transactions.ts";
import { calledSelector, type PublicCall } from "../../../protocol/tx/public-calls.ts";
import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import { publishedInstances } from "../../digest/published-contracts.ts";
import type { TxFacts } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/** Stands for the sender of calls that have none. */
const NULL_MSG_SENDER = bigUintBytes(FR_MODULUS - 1n, 32);

type PhasesContext = Pick<CheckContext, "rules" | "setupAllowList" | "target" | "contractInstance">;

/**
 * Setup calls must be on the node's allow list: setup is not reverted when the rest of the tx fails
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list).
 */
export function checkPhases(facts: Pick<TxFacts, "digest" | "parts" | "setupCalls">, context: PhasesContext): Verdict {
  return facts.digest.contractsReadable ? checkSetupCalls(facts, context) : invalid(REASON.unexpected);
}

/** The same for a tx whose published contracts can be read. */
export function checkSetupCalls(facts: Pick<TxFacts, "parts" | "setupCalls">, context: PhasesContext): Verdict {
  for (const call of facts.setupCalls) {
    const reason = rejection(call, facts, context);
    if (reason !== undefined) return invalid(reason);
  }
  return VALID;
}

/** Entries by address are tried before entries by class; the first match decides. */
function rejection(call: PublicCall, { parts }: Pick<TxFacts, "parts">, context: PhasesContext): string | undefined {
  const { setupAllowList, target } = context;
  const selector = calledSelector(call.calldata);
  if (selector === undefined) return REASON.unexpected;
  const { contractAddress } = call.request;
  const called = setupAllowList.filter((entry) => equal(entry.selector, selector));
  const byAddress = called.find((entry) => "address" in entry && equal(entry.address, contractAddress));
  if (byAddress !== undefined) return brokenFlag(byAddress, call);
  if (!setupAllowList.some((entry) => "classId" in entry)) return REASON.setupNotAllowed;
  const own = publishedInstances(parts, context.rules.contracts).findLast(({ address }) =>
    equal(address, contractAddress),
  );
  const classId = own?.classId ?? context.contractInstance(contractAddress, target.timestamp)?.currentContractClassId;
  if (classId === undefined) return REASON.setupUnknownContract;
  const byClass = called.find((entry) => "classId" in entry && equal(entry.classId, classId));
  return byClass === undefined ? REASON.setupNotAllowed : brokenFlag(byClass, call);
}

function brokenFlag(entry: AllowedSetupCall, { request, calldata }: PublicCall): string | undefined {
  const { msgSender, contractAddress } = request;
  if (entry.calldataLength !== undefined && calldata.length / 32 !== entry.calldataLength) {
    return REASON.setupCalldataLength;
  }
  if (entry.onlySelf && !equal(msgSender, contractAddress)) return REASON.setupNotSelf;
  if (entry.rejectNullMsgSender && equal(msgSender, NULL_MSG_SENDER)) return REASON.setupNullSender;
  return undefined;
}
