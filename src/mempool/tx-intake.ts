import type { Fr } from "../protocol/field.ts";
import { isReason, REASON } from "../protocol/tx/refusal-reasons.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { txToBytes } from "../protocol/tx/tx-bytes.ts";
import type { Verdict } from "../protocol/tx/verdict.ts";
import type { Admission } from "./pool/pool-admission.ts";
import type { PoolChainView } from "./pool/pool-chain-view.ts";
import { SharedCommits } from "./pool/shared-commits.ts";
import type { TxPool } from "./pool/tx-pool.ts";
import type { TxValidator } from "./validation/tx-validator.ts";

interface TxIntakeParts {
  validator: Pick<TxValidator, "fromClient">;
  pool: Pick<TxPool, "add" | "summary">;
  chain: Pick<PoolChainView, "minedIn">;
  /** Percentage by which a client's tx must outbid the one that it replaces. */
  priceBumpPercentage: bigint;
  /** Takes the binary form of each tx that the pool accepted. */
  accepted?(bytes: Uint8Array): void;
  /** Told how long each submission took, and whether the pool has the tx now. */
  submitted?(ms: number, ok: boolean): void;
}

/** What may become wrong with a tx while it is pending: fees rise, and other txs use up the payer's balance. */
const WRONG_WHEN_PENDING: readonly string[] = [REASON.feePerGas, REASON.balance];
/** What may be wrong with a tx that is in a block, beside its nullifiers. */
const WRONG_WHEN_MINED: readonly string[] = [REASON.existingNullifier, REASON.expired, ...WRONG_WHEN_PENDING];

const isAmong = (reasons: readonly string[]) => (text: string) => reasons.some((reason) => isReason(text, reason));

/** Outcome of a submitted tx: why it is invalid, or the pool's decision. */
type Submission = { verdict: Exclude<Verdict, { result: "valid" }> } | { admission: Admission };

/** Adds txs of clients to the pool. Txs that become valid at about the same time share one commit. */
export class TxIntake {
  readonly #validator: TxIntakeParts["validator"];
  readonly #pool: TxIntakeParts["pool"];
  readonly #chain: TxIntakeParts["chain"];
  readonly #commits: SharedCommits;
  readonly #accepted: (bytes: Uint8Array) => void;
  readonly #submitted: (ms: number, ok: boolean) => void;

  constructor(parts: TxIntakeParts) {
    const { validator, pool, chain, priceBumpPercentage, accepted = () => {}, submitted = () => {} } = parts;
    this.#validator = validator;
    this.#pool = pool;
    this.#chain = chain;
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
    if (verdict.result !== "valid") {
      return this.#wasTaken(facts.hash, verdict.reason) ? { admission: { outcome: "ignored" } } : { verdict };
    }
    const encoded = txToBytes(facts.hash, tx);
    const admission = await this.#commits.add({ ...facts, encoded });
    if (admission.outcome === "accepted") this.#accepted(encoded);
    return { admission };
  }

  /**
   * Whether a tx is refused only because it was taken before and has been pending or in a block since. Whoever repeats
   * a call whose answer was lost, as load balancers do, gets that answer again.
   */
  #wasTaken(hash: Fr, reasons: readonly string[]): boolean {
    if (reasons.includes(REASON.existingNullifier)) {
      return reasons.every(isAmong(WRONG_WHEN_MINED)) && this.#chain.minedIn(hash) !== undefined;
    }
    return reasons.every(isAmong(WRONG_WHEN_PENDING)) && this.#pool.summary(hash) !== undefined;
  }
}
