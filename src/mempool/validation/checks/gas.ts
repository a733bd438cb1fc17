import { REASON, reasonWith } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/** DA gas of three fields of blob data. */
const FIXED_DA_GAS = 96;
const FIXED_L2_GAS = { withPublicCalls: 540_000, privateOnly: 440_000 };

type LimitsContext = Pick<CheckContext, "gasLimits" | "rules">;
type LimitFacts = Pick<TxSummary, "gasLimits" | "forPublic">;
type FeesContext = Pick<CheckContext, "gasFees" | "rules"> & { state: Pick<CheckContext["state"], "feeJuice"> };
type FeeFacts = Pick<TxSummary, "maxFeesPerGas" | "feePayer" | "feeLimit" | "claim">;

/** Gas rules 1 and 2 (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). */
export function checkGasLimits(
  { gasLimits: own, forPublic }: LimitFacts,
  { gasLimits, rules }: LimitsContext,
): Verdict {
  const { transactions } = rules;
  const fixedL2 = forPublic ? FIXED_L2_GAS.withPublicCalls : FIXED_L2_GAS.privateOnly;
  if (own.daGas < FIXED_DA_GAS || own.l2Gas < fixedL2) {
    const values = `required=da:${FIXED_DA_GAS},l2:${fixedL2} got=da:${own.daGas},l2:${own.l2Gas}`;
    return invalid(reasonWith(REASON.gasLimitLow, values, transactions));
  }
  for (const kind of ["l2Gas", "daGas"] as const) {
    if (own[kind] > gasLimits[kind]) {
      const reason = `${REASON.gasLimitHigh} ${transactions.refusals.maxGas}`;
      return invalid(reasonWith(reason, `${kind}=${own[kind]}, max=${gasLimits[kind]}`, transactions));
    }
  }
  return VALID;
}

/** Gas rule 3. Fees that are too low now may suffice later: in some generations the tx is only skipped. */
export function checkFeePerGas(
  { maxFeesPerGas: offered }: Pick<TxSummary, "maxFeesPerGas">,
  { gasFees, rules }: Pick<CheckContext, "gasFees" | "rules">,
): Verdict {
  const { transactions } = rules;
  if (offered.feePerDaGas >= gasFees.feePerDaGas && offered.feePerL2Gas >= gasFees.feePerL2Gas) return VALID;
  const ofOffer = `maxFee=da:${offered.feePerDaGas},l2:${offered.feePerL2Gas}`;
  const values = `${ofOffer} required=da:${gasFees.feePerDaGas},l2:${gasFees.feePerL2Gas}`;
  return { result: transactions.underpriced, reason: [reasonWith(REASON.feePerGas, values, transactions)] };
}

/** The first broken one of gas rules 3 and 4. */
function checkFees(facts: FeeFacts, context: FeesContext): Verdict {
  const price = checkFeePerGas(facts, context);
  if (price.result !== "valid") return price;
  const { feePayer, feeLimit, claim } = facts;
  const available = context.state.feeJuice(feePayer) + claim;
  if (available >= feeLimit) return VALID;
  const values = `required=${feeLimit}, available=${available}`;
  return invalid(reasonWith(REASON.balance, values, context.rules.transactions));
}

/** The first broken one of gas rules 1 to 4. */
export function checkGas(facts: LimitFacts & FeeFacts, context: LimitsContext & FeesContext): Verdict {
  const limits = checkGasLimits(facts, context);
  return limits.result === "valid" ? checkFees(facts, context) : limits;
}

/** The same with the protocol's own limits in place of the context's. */
export function checkProtocolGas(
  facts: LimitFacts & FeeFacts,
  context: Omit<LimitsContext, "gasLimits"> & FeesContext,
) {
  return checkGas(facts, { ...context, gasLimits: context.rules.transactions.maxGas });
}

/** Gas rules 3 and 4 of a tx whose limits the protocol allows; others are refused for these alone. */
export function checkFeesWithinLimits(facts: LimitFacts & FeeFacts, context: LimitsContext & FeesContext): Verdict {
  const ofProtocol = { ...context, gasLimits: context.rules.transactions.maxGas };
  return checkGasLimits(facts, ofProtocol).result === "valid" ? checkFees(facts, context) : VALID;
}
