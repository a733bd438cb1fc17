import type { Tx } from "../protocol/tx/tx.ts";
import type { Verdict } from "../protocol/tx/verdict.ts";
import type { Admission } from "./pool/pool-admission.ts";
import type { TxPool } from "./pool/tx-pool.ts";
import type { TxFacts } from "./tx-facts.ts";
import type { TxValidator } from "./validation/tx-validator.ts";

export interface TxIntakeParts {
  validator: Pick<TxValidator, "fromClient">;
  pool: Pick<TxPool, "add">;
  /** Percentage by which a client's tx must outbid the one that it replaces. */
  priceBumpPercentage: bigint;
}

/** Outcome of a submitted tx: why it is invalid, or the pool's decision. */
export type Submission = { verdict: Exclude<Verdict, { result: "valid" }> } | { admission: Admission };

/** Txs per commit; each has at most 512 KiB. */
const MOST_TOGETHER = 32;

interface Waiting {
  facts: TxFacts;
  resolve(admission: Admission): void;
  reject(error: unknown): void;
}

/** Adds txs of clients to the pool. Txs that become valid at about the same time share one commit. */
export class TxIntake {
  readonly #validator: TxIntakeParts["validator"];
  readonly #pool: TxIntakeParts["pool"];
  readonly #priceBumpPercentage: bigint;
  #waiting: Waiting[] = [];
  #scheduled = false;

  constructor({ validator, pool, priceBumpPercentage }: TxIntakeParts) {
    this.#validator = validator;
    this.#pool = pool;
    this.#priceBumpPercentage = priceBumpPercentage;
  }

  /** Rejects as TxValidator.fromClient does, and with any error of storing the tx. */
  async submit(tx: Tx): Promise<Submission> {
    const { facts, verdict } = await this.#validator.fromClient(tx, { isSimulation: false, skipFeeEnforcement: false });
    if (verdict.result !== "valid") return { verdict };
    return { admission: await this.#admit(facts) };
  }

  #admit(facts: TxFacts): Promise<Admission> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ facts, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush(this.#waiting.splice(0, MOST_TOGETHER));
      this.#schedule();
    });
  }

  #flush(batch: readonly Waiting[]): void {
    try {
      const bidding = { by: "fee", bumpPercentage: this.#priceBumpPercentage } as const;
      const admissions = this.#pool.add(
        batch.map(({ facts }) => facts),
        bidding,
      );
      for (const [i, { resolve }] of batch.entries()) resolve(admissions[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
