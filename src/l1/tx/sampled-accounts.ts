import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { wei } from "./fee-market.ts";
import type { L1Sender } from "./l1-sender.ts";

const WEI_PER_ETH = 1e18;
const MS_BETWEEN_SAMPLES = 30_000;
/** Sampling goes on for so long after a reading; pauses between scrapes, exports and looks at the page are shorter. */
const MS_AFTER_READING = 10 * 60_000;

export interface SendingAccounts {
  readonly rpc: Pick<L1Rpc, "request">;
  readonly senders: readonly Pick<L1Sender, "address" | "balance">[];
}

interface L1Fees {
  /** Wei. */
  gasPrice?: bigint;
  blobBaseFee?: bigint;
}

interface L1Prices {
  /** ETH by address. */
  readonly balances: ReadonlyMap<string, number>;
  readonly fees: L1Fees;
}

/**
 * Balances of all accounts by which a process sends to L1, and what L1 asks for gas, asked of L1 again and again while
 * there are such accounts and somebody reads them. A value is missing before the first answer after a pause, and while
 * it cannot be had; the calls to L1 are counted with their failures.
 */
export class SampledAccounts {
  readonly #intervalMs: number;
  readonly #groups = new Set<SendingAccounts>();
  readonly #eth = new Map<string, number>();
  #fees: L1Fees = {};
  #timer: NodeJS.Timeout | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(intervalMs = MS_BETWEEN_SAMPLES) {
    this.#intervalMs = intervalMs;
  }

  /** Returns what takes the accounts away. */
  add(accounts: SendingAccounts): () => void {
    this.#groups.add(accounts);
    if (this.#isRead) this.#start();
    return () => {
      this.#groups.delete(accounts);
      const left = this.#senders();
      for (const { address } of accounts.senders) if (!left.has(address)) this.#eth.delete(address);
      if (this.#groups.size === 0) this.#stop();
    };
  }

  read(): L1Prices {
    this.#readAt = performance.now();
    if (this.#timer === undefined && this.#groups.size > 0) this.#start();
    return { balances: this.#eth, fees: this.#fees };
  }

  get #isRead(): boolean {
    return performance.now() - this.#readAt < MS_AFTER_READING;
  }

  #start(): void {
    void this.#sample();
    this.#timer ??= setInterval(() => (this.#isRead ? void this.#sample() : this.#stop()), this.#intervalMs).unref();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#eth.clear();
    this.#fees = {};
  }

  #senders(): Map<string, SendingAccounts["senders"][number]> {
    return new Map([...this.#groups].flatMap(({ senders }) => senders.map((sender) => [sender.address, sender])));
  }

  async #sample(): Promise<void> {
    const [group] = this.#groups;
    const ask = (method: string) =>
      group.rpc.request({ method, params: [], parse: (value) => wei(value) }).catch(() => undefined);
    const fees = Promise.all([ask("eth_gasPrice"), ask("eth_blobBaseFee")]);
    const balances = [...this.#senders().values()].map(async (sender) => {
      const balance = await sender.balance().catch(() => undefined);
      if (balance === undefined || this.#timer === undefined || !this.#senders().has(sender.address))
        this.#eth.delete(sender.address);
      else this.#eth.set(sender.address, Number(balance) / WEI_PER_ETH);
    });
    const [[gasPrice, blobBaseFee]] = await Promise.all([fees, ...balances]);
    if (this.#timer !== undefined) this.#fees = { gasPrice, blobBaseFee };
  }
}
