import { toHex } from "../../protocol/bytes.ts";
import { MULTICALL3_ADDRESS } from "../abi/multicall3.ts";
import { L1Error } from "../errors.ts";
import { DeploymentStepError } from "./errors.ts";
import { balanceOf, hasCode, nextNonce } from "./l1-account-state.ts";
import { MULTICALL3_COST, MULTICALL3_SENDER, MULTICALL3_TRANSACTION } from "./multicall3-transaction.ts";
import { type SendOptions, StepSender, sendRaw, waitForReceipt } from "./send-steps.ts";

const NAME = "deploy Multicall3";

/** Deploys Multicall3 if L1 does not have it. Throws DeploymentStepError, DeployerFundsError and L1Error. */
export async function deployMulticall3(options: SendOptions): Promise<void> {
  const { rpc, deployer, miningTimeoutMs } = options;
  if (await hasCode(rpc, MULTICALL3_ADDRESS)) return;
  const missing = MULTICALL3_COST - (await balanceOf(rpc, MULTICALL3_SENDER));
  if (missing > 0n) {
    const funding = {
      name: "fund the sender of Multicall3",
      to: MULTICALL3_SENDER,
      data: new Uint8Array(),
      value: missing,
    };
    await new StepSender([funding], await nextNonce(rpc, deployer.address), options).run();
  }
  const failed = (reason: string, transactionHash?: string, cause?: unknown) =>
    new DeploymentStepError({ step: NAME, position: 1, total: 1, reason, transactionHash }, false, { cause });
  let hash: string | undefined;
  try {
    hash = await sendRaw(rpc, toHex(new Uint8Array(Buffer.from(MULTICALL3_TRANSACTION, "base64"))));
    const receipt = await waitForReceipt(hash, options);
    if (!receipt) throw failed(`L1 has not mined it within ${miningTimeoutMs / 1000} s`, hash);
    if (!receipt.succeeded) throw failed("reverted", hash);
  } catch (error) {
    throw error instanceof L1Error ? failed(error.message, hash, error) : error;
  }
}
