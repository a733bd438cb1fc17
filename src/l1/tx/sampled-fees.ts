import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { wei } from "./fee-market.ts";

export interface L1Fees {
  /** Wei. */
  gasPrice?: bigint;
  blobBaseFee?: bigint;
}

/** What L1 asks for gas and blobs, read again and again. */
export class SampledFees {
  readonly #rpc: Pick<L1Rpc, "request">;
  #fees: L1Fees = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(rpc: Pick<L1Rpc, "request">) {
    this.#rpc = rpc;
  }

  start(intervalMs: number): void {
    void this.#sample();
    this.#timer = setInterval(() => void this.#sample(), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A value is missing while it cannot be read. */
  read(): L1Fees {
    return this.#fees;
  }

  async #sample(): Promise<void> {
    // The calls to L1 are counted with their failures.
    const ask = (method: string) =>
      this.#rpc.request({ method, params: [], parse: (value) => wei(value) }).catch(() => undefined);
    const [gasPrice, blobBaseFee] = await Promise.all([ask("eth_gasPrice"), ask("eth_blobBaseFee")]);
    this.#fees = { gasPrice, blobBaseFee };
  }
}
