import { setTimeout as sleep } from "node:timers/promises";
import { keccak256 } from "viem";
import { toHex } from "../../protocol/bytes.ts";
import { L1Error, L1RpcError } from "../errors.ts";
import { bytes } from "../rpc/answers.ts";
import { isRevert, type L1Rpc } from "../rpc/l1-rpc.ts";
import type { Deployer } from "./deployer.ts";
import { DeployerFundsError, DeploymentStepError } from "./errors.ts";
import { amount, balanceOf, type FeesPerGas, feesPerGas, type Receipt, receiptOf } from "./l1-account-state.ts";
import { callOf, gasLimit, rehearse } from "./rehearse.ts";
import { revertReason } from "./revert-reason.ts";
import type { Step } from "./step.ts";

export interface SendOptions {
  rpc: L1Rpc;
  /** The same endpoints without retries. */
  rpcOnce: L1Rpc;
  deployer: Deployer;
  chainId: number;
  /** The chain mines each transaction immediately. */
  automines: boolean;
  /** Timeout for a transaction to be mined, in milliseconds. */
  miningTimeoutMs: number;
  onMined?: (step: Step) => void;
  signal?: AbortSignal;
}

/** Gas of a transaction that does nothing. */
const MIN_GAS = 21_000n;
const FIRST_POLL_MS = 2;
const LAST_POLL_MS = 1000;
const NUDGE_MS = 3000;

interface SentTransaction {
  hash: string;
  /** Serialized, 0x text. */
  raw: string;
}

/** Sends steps from one account and waits until each has succeeded on L1. */
export class StepSender {
  readonly #options: SendOptions;
  readonly #steps: readonly Step[];
  readonly #nonce: number;

  constructor(steps: readonly Step[], nonce: number, options: SendOptions) {
    this.#steps = steps;
    this.#nonce = nonce;
    this.#options = options;
  }

  /**
   * Resolves once all steps are mined. If the endpoint can simulate them, all steps are simulated first and then sent
   * without waiting for each other. Otherwise, and on chains with automine, they are sent one by one.
   * Throws DeploymentStepError, DeployerFundsError and L1Error.
   */
  async run(): Promise<void> {
    const { rpc, deployer, automines } = this.#options;
    const [limits, fees] = await Promise.all([rehearse(rpc, deployer.address, this.#steps), feesPerGas(rpc)]);
    await this.#checkFunds(limits ?? this.#steps.map(() => MIN_GAS), fees);
    const sent: SentTransaction[] = [];
    for (let i = 0; i < this.#steps.length; i++) {
      this.#options.signal?.throwIfAborted();
      sent.push(await this.#send(i, limits?.[i] ?? (await this.#estimate(i)), fees));
      if (automines || !limits) await this.#mined(i, sent);
    }
    if (!automines && limits) for (const i of sent.keys()) await this.#mined(i, sent);
  }

  #failure(i: number, reason: string, transactionHash?: string, cause?: unknown): DeploymentStepError {
    const failure = {
      step: this.#steps[i].name,
      position: i + 1,
      total: this.#steps.length,
      reason,
      transactionHash,
    };
    return new DeploymentStepError(failure, false, { cause });
  }

  async #checkFunds(limits: readonly bigint[], fees: FeesPerGas): Promise<void> {
    const { rpc, deployer } = this.#options;
    const value = this.#steps.reduce((sum, step) => sum + step.value, 0n);
    const needed = limits.reduce((sum, limit) => sum + limit, 0n) * fees.maxFeePerGas + value;
    const balance = await balanceOf(rpc, deployer.address);
    if (balance < needed) throw new DeployerFundsError(deployer.address, balance, needed);
  }

  async #estimate(i: number): Promise<bigint> {
    const { rpc, deployer } = this.#options;
    const params = [callOf(this.#steps[i], deployer.address)];
    try {
      const parse = (value: unknown) => amount(value, "gas");
      return gasLimit(await rpc.request({ method: "eth_estimateGas", params, parse }));
    } catch (error) {
      if (isRevert(error)) throw this.#failure(i, revertReason(error.data, error.rpcMessage), undefined, error);
      throw error instanceof L1Error ? this.#failure(i, error.message, undefined, error) : error;
    }
  }

  async #send(i: number, gas: bigint, fees: FeesPerGas): Promise<SentTransaction> {
    const { rpc, deployer, chainId } = this.#options;
    const { to, data, value } = this.#steps[i];
    const nonce = this.#nonce + i;
    const raw = await deployer.sign({ chainId, nonce, gas, ...fees, to, data: toHex(data), value });
    try {
      return { hash: await sendRaw(rpc, raw), raw };
    } catch (error) {
      throw error instanceof L1Error ? this.#failure(i, error.message, undefined, error) : error;
    }
  }

  async #mined(i: number, sent: readonly SentTransaction[]): Promise<void> {
    const { miningTimeoutMs, onMined } = this.#options;
    const { hash } = sent[i];
    let receipt: Receipt | undefined;
    try {
      receipt = await waitForReceipt(hash, this.#options, () => this.#sendAgain(sent.slice(i)));
    } catch (error) {
      throw error instanceof L1Error ? this.#failure(i, error.message, hash, error) : error;
    }
    if (!receipt) throw this.#failure(i, `L1 has not mined it within ${miningTimeoutMs / 1000} s`, hash);
    if (!receipt.succeeded) throw this.#failure(i, await this.#whyReverted(i, receipt), hash);
    onMined?.(this.#steps[i]);
  }

  /**
   * L1 nodes may drop a transaction that did not fit into a block. If it is known or mined, resending is refused, which
   * is ignored.
   */
  async #sendAgain(sent: readonly SentTransaction[]): Promise<void> {
    for (const { raw } of sent) {
      try {
        await sendRaw(this.#options.rpcOnce, raw);
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
      }
    }
  }

  /** Finds the reason by repeating the failed call on the state of its block. */
  async #whyReverted(i: number, receipt: Receipt): Promise<string> {
    const { rpc, deployer } = this.#options;
    const params = [callOf(this.#steps[i], deployer.address), `0x${receipt.blockNumber.toString(16)}`];
    try {
      await rpc.request({ method: "eth_call", params, parse: () => undefined });
    } catch (error) {
      if (isRevert(error)) return revertReason(error.data, error.rpcMessage);
      if (!(error instanceof L1Error)) throw error;
    }
    return `reverted, ${receipt.gasUsed} gas used`;
  }
}

/** Sends a serialized transaction and returns its hash. "Already known" counts as success. */
export async function sendRaw(rpc: L1Rpc, raw: string): Promise<string> {
  const hash = keccak256(raw as `0x${string}`);
  const parse = (value: unknown) => bytes(value, "transaction hash", 32);
  try {
    await rpc.request({ method: "eth_sendRawTransaction", params: [raw], parse });
  } catch (error) {
    if (!(error instanceof L1RpcError) || !/already (known|imported)/i.test(error.rpcMessage)) throw error;
  }
  return hash;
}

/** Undefined if the transaction was not mined in time. `nudge` is called periodically while it waits. */
export async function waitForReceipt(
  hash: string,
  { rpc, miningTimeoutMs, signal }: Pick<SendOptions, "rpc" | "miningTimeoutMs" | "signal">,
  nudge: () => Promise<void> = async () => {},
): Promise<Receipt | undefined> {
  const started = performance.now();
  let nudged = started;
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(2 * pause, LAST_POLL_MS)) {
    const receipt = await receiptOf(rpc, hash);
    if (receipt || performance.now() - started > miningTimeoutMs) return receipt;
    if (performance.now() - nudged > NUDGE_MS) {
      await nudge();
      nudged = performance.now();
    }
    await sleep(pause, undefined, { signal });
  }
}
