import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { wei } from "./fee-market.ts";
import type { L1Sender } from "./l1-sender.ts";

const WEI_PER_ETH = 1e18;
const MS_BETWEEN_SAMPLES = 30_000;

export interface SendingAccounts {
  readonly rpc: Pick<L1Rpc, "request">;
  readonly senders: readonly Pick<L1Sender, "address" | "balance">[];
}

interface L1Fees {
  /** Wei. */
  gasPrice?: bigint;
  blobBaseFee?: bigint;
}

/**
 * Balances of all accounts by which a process sends to L1, and what L1 asks for gas, read again and again while there
 * are such accounts. A value is missing while it cannot be read; the calls to L1 are counted with their failures.
 */
export class SampledAccounts {
  readonly #intervalMs: number;
  readonly #groups = new Set<SendingAccounts>();
  readonly #eth = new Map<string, number>();
  #fees: L1Fees = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs = MS_BETWEEN_SAMPLES) {
    this.#intervalMs = intervalMs;
  }

  /** Returns what takes the accounts away. */
  add(accounts: SendingAccounts): () => void {
    this.#groups.add(accounts);
    void this.#sample();
    this.#timer ??= setInterval(() => void this.#sample(), this.#intervalMs).unref();
    return () => {
      this.#groups.delete(accounts);
      const left = this.#senders();
      for (const { address } of accounts.senders) if (!left.has(address)) this.#eth.delete(address);
      if (this.#groups.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#fees = {};
    };
  }

  /** ETH by address. */
  balances(): ReadonlyMap<string, number> {
    return this.#eth;
  }

  fees(): L1Fees {
    return this.#fees;
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
      if (balance === undefined || !this.#senders().has(sender.address)) this.#eth.delete(sender.address);
      else this.#eth.set(sender.address, Number(balance) / WEI_PER_ETH);
    });
    const [[gasPrice, blobBaseFee]] = await Promise.all([fees, ...balances]);
    if (this.#groups.size > 0) this.#fees = { gasPrice, blobBaseFee };
  }
}
