import type { Tx } from "../protocol/tx/tx.ts";
import { txToBytes } from "../protocol/tx/tx-bytes.ts";
import type { Verdict } from "../protocol/tx/verdict.ts";
import type { Admission } from "./pool/pool-admission.ts";
import { SharedCommits } from "./pool/shared-commits.ts";
import type { TxPool } from "./pool/tx-pool.ts";
import type { TxValidator } from "./validation/tx-validator.ts";

export interface TxIntakeParts {
  validator: Pick<TxValidator, "fromClient">;
  pool: Pick<TxPool, "add">;
  /** Percentage by which a client's tx must outbid the one that it replaces. */
  priceBumpPercentage: bigint;
  /** Takes the binary form of each tx that the pool accepted. */
  accepted?(bytes: Uint8Array): void;
  /** Told how long each submission took, and whether the pool has the tx now. */
  submitted?(ms: number, ok: boolean): void;
}

/** Outcome of a submitted tx: why it is invalid, or the pool's decision. */
export type Submission = { verdict: Exclude<Verdict, { result: "valid" }> } | { admission: Admission };

/** Adds txs of clients to the pool. Txs that become valid at about the same time share one commit. */
export class TxIntake {
  readonly #validator: TxIntakeParts["validator"];
  readonly #commits: SharedCommits;
  readonly #accepted: (bytes: Uint8Array) => void;
  readonly #submitted: (ms: number, ok: boolean) => void;

  constructor(parts: TxIntakeParts) {
    const { validator, pool, priceBumpPercentage, accepted = () => {}, submitted = () => {} } = parts;
    this.#validator = validator;
    this.#accepted = accepted;
    this.#submitted = submitted;
    this.#commits = new SharedCommits(pool, { by: "fee", bumpPercentage: priceBumpPercentage });
  }

  /** Rejects as TxValidator.fromClient does, and with any error of storing the tx. */
  async submit(tx: Tx): Promise<Submission> {
    const began = performance.now();
    let ok = false;
    try {
      const submission = await this.#submit(tx);
      ok = "admission" in submission && submission.admission.reason === undefined;
      return submission;
    } finally {
      this.#submitted(performance.now() - began, ok);
    }
  }

  async #submit(tx: Tx): Promise<Submission> {
    const { facts, verdict } = await this.#validator.fromClient(tx, { isSimulation: false, skipFeeEnforcement: false });
    if (verdict.result !== "valid") return { verdict };
    const encoded = txToBytes(facts.hash, tx);
    const admission = await this.#commits.add({ ...facts, encoded });
    if (admission.outcome === "accepted") this.#accepted(encoded);
    return { admission };
  }
}
