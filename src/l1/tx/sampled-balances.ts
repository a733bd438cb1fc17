import type { L1Sender } from "./l1-sender.ts";

const WEI_PER_ETH = 1e18;

/** Balances of the sending accounts, read again and again. */
export class SampledBalances {
  readonly #senders: readonly Pick<L1Sender, "address" | "balance">[];
  readonly #eth = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(senders: readonly Pick<L1Sender, "address" | "balance">[]) {
    this.#senders = senders;
  }

  start(intervalMs: number): void {
    void this.#sample();
    this.#timer = setInterval(() => void this.#sample(), intervalMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** ETH by address; an account is missing while its balance cannot be read. */
  read(): ReadonlyMap<string, number> {
    return this.#eth;
  }

  async #sample(): Promise<void> {
    await Promise.all(
      this.#senders.map(async (sender) => {
        try {
          this.#eth.set(sender.address, Number(await sender.balance()) / WEI_PER_ETH);
        } catch {
          // The calls to L1 are counted with their failures.
          this.#eth.delete(sender.address);
        }
      }),
    );
  }
}
