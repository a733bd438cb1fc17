import type { CollectedTx } from "../../checkpoints/proposals/proposal-txs.ts";
import { BusyError } from "../../errors/busy-error.ts";
import type { TxFacts } from "../../mempool/digest/tx-facts.ts";
import { BY_RANK } from "../../mempool/pool/pre-add-rules.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { TxValidator } from "../../mempool/validation/tx-validator.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";

/** What transactions are collected for: it decides how the pool keeps them. */
export type CollectedFor = { proposalOfSlot: number } | { minedBlock: number };

interface CollectedTxsParts {
  validator: Pick<TxValidator, "received">;
  pool: Pick<TxPool, "add" | "addProtected">;
  logger: Logger;
}

/** Txs that are checked at once for all sources, below the bound of the digest queue, which clients share. */
const MAX_CHECKED_AT_ONCE = 16;

/** What became of received txs. */
export interface Intake {
  /** Hashes of valid ones, which the pool has now. */
  added: Uint8Array[];
  /** Claimed hashes of those that break a rule that every node checks. */
  invalid: Uint8Array[];
}

/** Takes received txs. */
export type TakesTxs = Pick<CollectedTxs, "take">;

/**
 * Checks transactions that other nodes sent and adds them to the pool
 * (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where).
 */
export class CollectedTxs {
  readonly #parts: CollectedTxsParts;
  readonly #waiting: (() => void)[] = [];
  readonly #taking = new Set<Promise<unknown>>();
  #checking = 0;
  #stopped = false;

  constructor(parts: CollectedTxsParts) {
    this.#parts = parts;
  }

  /** Takes no more txs. Resolves when the pool has those that were being checked. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#taking);
  }

  /** Never rejects. A tx that this node has no capacity to check, or to store, is in neither list. */
  take(txs: readonly CollectedTx[], purpose: CollectedFor): Promise<Intake> {
    const taking = this.#take(this.#stopped ? [] : txs, purpose).finally(() => this.#taking.delete(taking));
    this.#taking.add(taking);
    return taking;
  }

  async #take(txs: readonly CollectedTx[], purpose: CollectedFor): Promise<Intake> {
    const intake: Intake = { added: [], invalid: [] };
    const facts = (await Promise.all(txs.map((tx) => this.#checked(tx, intake)))).flatMap((found) => found ?? []);
    if (facts.length === 0) return intake;
    const { pool, logger } = this.#parts;
    try {
      if ("proposalOfSlot" in purpose) pool.addProtected(facts, purpose.proposalOfSlot);
      // The pool looks up whether the chain has them, and then keeps them as mined.
      else pool.add(facts, BY_RANK);
      intake.added.push(...facts.map(({ hash }) => hash));
    } catch (error) {
      logger.warn({ err: error, txs: facts.length }, "{txs:collected tx} could not be stored");
    }
    return intake;
  }

  async #checked({ hash, tx, encoded }: CollectedTx, intake: Intake): Promise<TxFacts | undefined> {
    await this.#begin();
    const { validator, logger } = this.#parts;
    try {
      const { facts, verdict } = await validator.received(tx, hash);
      if (verdict.result === "valid") return encoded === undefined ? facts : { ...facts, encoded };
      logger.debug({ tx: toHex(hash), reasons: verdict.reason }, "a collected transaction is invalid");
      intake.invalid.push(hash);
    } catch (error) {
      if (error instanceof BusyError) return undefined;
      logger.warn({ tx: toHex(hash), err: error }, "a collected transaction could not be checked");
    } finally {
      this.#end();
    }
    return undefined;
  }

  async #begin(): Promise<void> {
    if (this.#checking >= MAX_CHECKED_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#checking++;
  }

  /** Passes the place on to a waiting tx, or frees it. */
  #end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#checking--;
    else next();
  }
}
