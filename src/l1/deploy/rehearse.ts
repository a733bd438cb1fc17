import { toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { L1Error } from "../errors.ts";
import { list, record } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { DeploymentStepError } from "./errors.ts";
import { amount } from "./l1-account-state.ts";
import { revertReason } from "./revert-reason.ts";
import type { Step } from "./step.ts";

/** Maximum gas of one L1 transaction since the Osaka upgrade (EIP-7825). */
const MAX_TRANSACTION_GAS = 16_777_216n;

/** Gas limit of a step: the gas used in the dry run plus a third, capped at L1's maximum. */
export function gasLimit(used: bigint): bigint {
  const limit = used + used / 3n + 5000n;
  return limit > MAX_TRANSACTION_GAS && used < MAX_TRANSACTION_GAS ? MAX_TRANSACTION_GAS : limit;
}

/** A step as the call object of eth_call and similar methods. */
export function callOf(step: Step, from: string): Record<string, string> {
  return {
    from,
    ...(step.to && { to: step.to }),
    data: toHex(step.data),
    value: `0x${step.value.toString(16)}`,
  };
}

interface Outcome {
  gasUsed: bigint;
  /** Undefined if the call succeeded. */
  reason: string | undefined;
}

function outcomes(answer: unknown): Outcome[] {
  return list(answer, "simulation").flatMap((block) =>
    list(record(block, "simulation block").calls, "simulation calls").map((call): Outcome => {
      const { status, gasUsed, error, returnData } = record(call, "simulation call");
      if (status === "0x1") return { gasUsed: amount(gasUsed, "gasUsed"), reason: undefined };
      const { data, message } = error === undefined ? {} : record(error, "simulation error");
      const text = typeof data === "string" ? data : typeof returnData === "string" ? returnData : undefined;
      return { gasUsed: 0n, reason: revertReason(text, typeof message === "string" ? message : "reverted") };
    }),
  );
}

/**
 * Simulates all steps in order, without sending anything, and returns their gas limits. Returns undefined if the
 * endpoint does not support the simulation or refuses one this large. Throws DeploymentStepError for the first step
 * that reverts.
 */
export async function rehearse(rpc: L1Rpc, from: string, steps: readonly Step[]): Promise<bigint[] | undefined> {
  const call = (step: Step) => ({ ...callOf(step, from), gas: `0x${MAX_TRANSACTION_GAS.toString(16)}` });
  const blockStateCalls = steps.map((step) => ({ calls: [call(step)] }));
  let results: Outcome[];
  try {
    const params = [{ blockStateCalls, validation: false }, "latest"];
    results = await rpc.request({ method: "eth_simulateV1", params, parse: outcomes });
  } catch (error) {
    if (error instanceof L1Error || error instanceof DecodeError) return undefined;
    throw error;
  }
  if (results.length !== steps.length) return undefined;
  const failed = results.findIndex(({ reason }) => reason !== undefined);
  if (failed >= 0) {
    const { reason = "reverted" } = results[failed];
    const failure = { step: steps[failed].name, position: failed + 1, total: steps.length, reason };
    throw new DeploymentStepError(failure, true);
  }
  return results.map(({ gasUsed }) => gasLimit(gasUsed));
}
