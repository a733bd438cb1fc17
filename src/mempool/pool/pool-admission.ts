import { mapKey } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import { txBytes } from "../../protocol/tx/tx.ts";
import { type TxFacts, txSummary } from "../digest/tx-facts.ts";
import { surplus, unpaid } from "./evictions.ts";
import type { PoolChainView } from "./pool-chain-view.ts";
import type { PoolContents } from "./pool-contents.ts";
import { type PoolEntry, poolEntry } from "./pool-entry.ts";
import { type Bidding, BY_RANK, conflictRule, preAdd } from "./pre-add-rules.ts";
import type { PoolRejection } from "./rejection.ts";

/** Outcome of adding a tx. `ignored` without a reason: it is there already; `rejected`: it may not be pending. */
export interface Admission {
  outcome: "accepted" | "ignored" | "rejected";
  reason?: PoolRejection;
}

/** A tx whose form and contents were checked. */
export type NewTx = Pick<TxFacts, "tx" | "encoded"> & Parameters<typeof txSummary>[0];

/** Decides which txs become pending, and which others they displace. Changes run inside Store.transaction. */
export class PoolAdmission {
  readonly #contents: PoolContents;
  readonly #chain: PoolChainView;
  readonly #limits: { readonly maxPending: number };

  /** `limits` is read at each call. */
  constructor(contents: PoolContents, chain: PoolChainView, limits: { readonly maxPending: number }) {
    this.#contents = contents;
    this.#chain = chain;
    this.#limits = limits;
  }

  /** Adds txs. Returns an outcome for each, in their order. */
  add(txs: readonly NewTx[], bidding: Bidding): Admission[] {
    const mayBePending = this.#chain.admission();
    const accepted = new Map<string, Admission>();
    const admissions = txs.map((tx): Admission => {
      const key = mapKey(tx.hash);
      if (this.#contents.entries.has(key)) return { outcome: "ignored" };
      const entry = this.#newEntry(tx);
      this.#contents.limitProtection(entry);
      if (this.#contents.stateOf(entry) !== "pending") {
        this.#contents.admit(entry, tx);
        return { outcome: "accepted" };
      }
      if (!mayBePending(entry, () => tx.tx)) return { outcome: "rejected" };
      const outcome = preAdd(entry, this.#preAddContext(bidding));
      if ("rejection" in outcome) return { outcome: "ignored", reason: outcome.rejection };
      for (const loser of outcome.evict) {
        this.#contents.evict([loser], "outbid");
        const admission = accepted.get(loser.key);
        if (admission !== undefined) admission.outcome = "ignored";
        accepted.delete(loser.key);
      }
      this.#contents.admit(entry, tx);
      const admission: Admission = { outcome: "accepted" };
      accepted.set(key, admission);
      return admission;
    });
    this.settle([...accepted.keys()]);
    return admissions;
  }

  #newEntry(tx: NewTx): PoolEntry {
    const { now, minedIn } = this.#chain;
    return poolEntry(txSummary(tx), { bytes: txBytes(tx.tx), receivedAt: now(), minedIn: minedIn(tx.hash) });
  }

  #preAddContext(bidding: Bidding) {
    const { maxPending } = this.#limits;
    return {
      pending: this.#contents.pending,
      bidding,
      maxPending,
      feeJuice: (payer: Fr) => this.#chain.feeJuice(payer),
    };
  }

  /** Enforces the rules for all pending txs after some were added: payers can pay, and the pool is not too full. */
  settle(keys: readonly string[]): void {
    if (keys.length === 0) return;
    const payers = keys.flatMap((key) => this.#contents.entries.get(key)?.payerKey ?? []);
    const poor = unpaid(this.#contents.pending, payers, (payer) => this.#chain.feeJuice(payer));
    this.#contents.evict(poor, "fee payer cannot pay");
    this.#contents.evict(surplus(this.#contents.pending, this.#limits.maxPending), "pool full");
  }

  /**
   * Whether a gossiped tx would be taken, as far as the pool's own rules go
   * (docs/protocol/07-transactions-and-fees.md#718-gossip).
   */
  wouldAccept(tx: NewTx): boolean {
    if (this.#contents.entries.has(mapKey(tx.hash))) return false;
    return "evict" in preAdd(this.#newEntry(tx), this.#preAddContext(BY_RANK));
  }

  /**
   * Makes entries pending again that are neither in a block nor protected, if they may be and win over others by rank;
   * deletes the rest. Returns those that are pending.
   */
  becomePending(entries: readonly PoolEntry[]): PoolEntry[] {
    const mayBePending = this.#chain.admission();
    return entries.filter((entry) => {
      const conflicts = mayBePending(entry, () => this.#contents.bodies.get(entry.hash)?.tx)
        ? conflictRule(entry, { pending: this.#contents.pending, bidding: BY_RANK })
        : undefined;
      if (conflicts === undefined || "rejection" in conflicts) {
        this.#contents.evict([entry], conflicts === undefined ? "may not be pending" : "outbid");
        return false;
      }
      this.#contents.evict(conflicts.evict, "outbid");
      this.#contents.makePending(entry);
      return true;
    });
  }
}
