import type { TransactionRules } from "../protocol/generations/transactions.ts";
import { REASON } from "../protocol/tx/refusal-reasons.ts";
import { type ClaimedTx, txFromBytes } from "../protocol/tx/tx-bytes.ts";
import { BY_RANK } from "./pool/pre-add-rules.ts";
import { SharedCommits } from "./pool/shared-commits.ts";
import type { TxPool } from "./pool/tx-pool.ts";
import type { GossipOptions, Tolerance } from "./validation/gossip-checks.ts";
import type { TxValidator } from "./validation/tx-validator.ts";

interface GossipIntakeParts {
  validator: Pick<TxValidator, "fromGossip" | "proofHolds">;
  pool: Pick<TxPool, "add" | "status" | "wouldAccept">;
  options: GossipOptions;
  /** Form of the txs. */
  transactions: Pick<TransactionRules, "proofFields">;
}

/** Whether a gossiped tx may be forwarded, and how far it is its sender's fault if not. */
interface GossipedTxVerdict {
  result: "accept" | "ignore" | "reject";
  tolerance?: Tolerance;
  reason?: string;
}

/** Least time between commits of gossiped txs, in milliseconds; a tx that comes after a pause is committed at once. */
const COMMIT_INTERVAL_MS = 25;

const accept: GossipedTxVerdict = { result: "accept" };
const ignore = (reason: string): GossipedTxVerdict => ({ result: "ignore", reason });

/**
 * Checks gossiped txs, the cheapest rules first and the proof last, and adds them to the pool
 * (docs/protocol/07-transactions-and-fees.md#718-gossip).
 */
export class GossipIntake {
  readonly #validator: GossipIntakeParts["validator"];
  readonly #pool: GossipIntakeParts["pool"];
  readonly #options: GossipOptions;
  readonly #proofFields: number;
  readonly #commits: SharedCommits;

  constructor({ validator, pool, options, transactions }: GossipIntakeParts) {
    this.#proofFields = transactions.proofFields;
    this.#validator = validator;
    this.#pool = pool;
    this.#options = options;
    this.#commits = new SharedCommits(pool, BY_RANK, COMMIT_INTERVAL_MS);
  }

  /** `bytes` is a tx's binary form with its hash. Rejects with BusyErrors and with errors of the store. */
  async take(bytes: Uint8Array): Promise<GossipedTxVerdict> {
    let claimed: ClaimedTx;
    try {
      claimed = txFromBytes(bytes, 0, this.#proofFields);
    } catch (error) {
      return { result: "reject", tolerance: "low", reason: `malformed: ${(error as Error).message}` };
    }
    const { hash, tx, next } = claimed;
    const status = this.#pool.status(hash);
    if (status !== undefined && status !== "deleted") return ignore("the pool has it");
    const { verdict, tolerance, facts } = await this.#validator.fromGossip(tx, hash, this.#options);
    if (verdict.result === "invalid" || facts === undefined) {
      return {
        result: "reject",
        tolerance,
        reason: verdict.result === "valid" ? undefined : verdict.reason.join(", "),
      };
    }
    if (!this.#pool.wouldAccept(facts)) return ignore("the pool would not take it");
    if (!(await this.#validator.proofHolds(tx))) return { result: "reject", tolerance: "low", reason: REASON.proof };
    const { outcome } = await this.#commits.add({ ...facts, encoded: bytes.subarray(0, next) });
    if (outcome === "accepted") return accept;
    return outcome === "ignored" ? ignore("the pool did not take it") : { result: "reject" };
  }
}
