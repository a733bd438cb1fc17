import { MAX_DA_GAS_PER_CHECKPOINT } from "../../../protocol/constants.ts";
import { MAX_L2_GAS_PER_TX } from "../../../protocol/tx/gas-limits.ts";
import type { TxGas } from "../../../protocol/tx/gas-settings.ts";
import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/** DA gas of three fields of blob data. */
const FIXED_DA_GAS = 96;
const FIXED_L2_GAS = { withPublicCalls: 540_000, privateOnly: 440_000 };

/** Gas limits of a block that hold on every network and for every validator. */
export const PROTOCOL_GAS_LIMITS: TxGas = { daGas: MAX_DA_GAS_PER_CHECKPOINT, l2Gas: MAX_L2_GAS_PER_TX };

/** The lowest limit of each dimension: of the protocol, the network's checkpoints and a validator's blocks. */
export function lowestGasLimits(...limits: readonly Partial<TxGas>[]): TxGas {
  const lowest = (of: (gas: Partial<TxGas>) => number | undefined) =>
    Math.min(...[PROTOCOL_GAS_LIMITS, ...limits].map((gas) => of(gas) ?? Number.POSITIVE_INFINITY));
  return { daGas: lowest(({ daGas }) => daGas), l2Gas: lowest(({ l2Gas }) => l2Gas) };
}

/** Gas rules 1 and 2 (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). */
export function checkGasLimits(
  { gasLimits: own, forPublic }: Pick<TxSummary, "gasLimits" | "forPublic">,
  { gasLimits }: Pick<CheckContext, "gasLimits">,
): Verdict {
  const fixedL2 = forPublic ? FIXED_L2_GAS.withPublicCalls : FIXED_L2_GAS.privateOnly;
  if (own.daGas < FIXED_DA_GAS || own.l2Gas < fixedL2) return invalid(REASON.gasLimitLow);
  const tooHigh = own.l2Gas > gasLimits.l2Gas || own.daGas > gasLimits.daGas;
  return tooHigh ? invalid(REASON.gasLimitHigh) : VALID;
}

/** The first broken one of gas rules 1 to 4. Fees that are too low now may suffice later, so the tx is skipped. */
export function checkGas(
  facts: Pick<TxSummary, "gasLimits" | "forPublic" | "maxFeesPerGas" | "feePayer" | "feeLimit" | "claim">,
  context: Pick<CheckContext, "gasLimits" | "gasFees"> & { state: Pick<CheckContext["state"], "feeJuice"> },
): Verdict {
  const limits = checkGasLimits(facts, context);
  if (limits.result !== "valid") return limits;
  const { maxFeesPerGas: offered, feePayer, feeLimit, claim } = facts;
  const { gasFees, state } = context;
  if (offered.feePerDaGas < gasFees.feePerDaGas || offered.feePerL2Gas < gasFees.feePerL2Gas) {
    return { result: "skipped", reason: [REASON.feePerGas] };
  }
  return state.feeJuice(feePayer) + claim >= feeLimit ? VALID : invalid(REASON.balance);
}
