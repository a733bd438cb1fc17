import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { ModelWorld } from "../../world/mempool/model-world.ts";

interface ModelTx {
  tx: TxFacts;
  minedIn?: number;
  receivedAt: number;
}

type Outcome = { outcome: "accepted" | "ignored" | "rejected"; code?: string };
/** Percentage of a bid by fee; undefined for a bid by rank. */
type Percentage = bigint | undefined;

const id = (tx: TxFacts) => toHex(tx.hash);
const above = (a: TxFacts, b: TxFacts) =>
  a.priorityFee > b.priorityFee || (a.priorityFee === b.priorityFee && BigInt(id(a)) > BigInt(id(b)));

/**
 * The pool as specified in docs/protocol/07-transactions-and-fees.md#719-states-of-the-pool, with lists that are
 * searched linearly.
 */
export class ModelPool {
  readonly txs = new Map<string, ModelTx>();
  readonly bodies = new Map<string, TxFacts>();
  readonly protectedFor = new Map<string, number>();
  readonly deletedInSlot = new Map<string, number>();
  readonly unmined = new Map<string, { block: number; deleted: boolean }>();
  archive: string[] = [];
  slot = 0;
  readonly #world: ModelWorld;
  maxPending: number;
  readonly #deleteAfterReorg: boolean;
  readonly #archiveLimit: number;

  constructor(world: ModelWorld, options: { maxPending: number; deleteAfterReorg: boolean; archived: number }) {
    this.#world = world;
    this.maxPending = options.maxPending;
    this.#deleteAfterReorg = options.deleteAfterReorg;
    this.#archiveLimit = options.archived;
  }

  /** Highest first. */
  pending(): ModelTx[] {
    return [...this.txs.values()]
      .filter(({ tx, minedIn }) => minedIn === undefined && !this.protectedFor.has(id(tx)))
      .sort((a, b) => (above(a.tx, b.tx) ? -1 : 1));
  }

  status(hash: string): string | undefined {
    const found = this.txs.get(hash);
    if (found === undefined) return this.isDeleted(hash) ? "deleted" : undefined;
    if (found.minedIn !== undefined) return "mined";
    return this.protectedFor.has(hash) ? "protected" : "pending";
  }

  isDeleted(hash: string): boolean {
    return this.deletedInSlot.has(hash) || this.unmined.get(hash)?.deleted === true;
  }

  add(batch: readonly TxFacts[], percentage: Percentage): Outcome[] {
    const outcomes: Outcome[] = [];
    const fresh: string[] = [];
    for (const tx of batch) {
      const hash = id(tx);
      const minedIn = this.#world.minedIn(tx.hash)?.number;
      if (this.txs.has(hash)) outcomes.push({ outcome: "ignored" });
      else if (minedIn !== undefined || this.protectedFor.has(hash)) {
        this.#enter(tx, minedIn);
        outcomes.push({ outcome: "accepted" });
      } else if (!this.#world.admission()(tx)) outcomes.push({ outcome: "rejected" });
      else {
        const decision = this.#decide(tx, percentage);
        if (typeof decision === "string") outcomes.push({ outcome: "ignored", code: decision });
        else {
          for (const loser of decision) {
            this.#delete(loser);
            const at = fresh.indexOf(loser);
            if (at >= 0) {
              fresh.splice(at, 1);
              const position = batch.findIndex(
                (other, i) => id(other) === loser && outcomes[i]?.outcome === "accepted",
              );
              outcomes[position] = { outcome: "ignored" };
            }
          }
          this.#enter(tx, undefined);
          fresh.push(hash);
          outcomes.push({ outcome: "accepted" });
        }
      }
    }
    this.#settle(fresh);
    return outcomes;
  }

  /** Hashes that the tx evicts, or the code of the rule that refuses it. */
  #decide(tx: TxFacts, percentage: Percentage): string[] | string {
    const pending = this.pending();
    const bump = (fee: bigint, pct: bigint) => {
      const raise = (fee * pct) / 100n;
      return fee + (raise < 1n ? 1n : raise);
    };
    const beats = (other: TxFacts) =>
      percentage === undefined ? above(tx, other) : tx.priorityFee >= bump(other.priorityFee, percentage);
    const losers = new Set<string>();
    for (const { tx: other } of pending) {
      const shared = other.nullifiers.some((n) => tx.nullifiers.some((own) => toHex(own) === toHex(n)));
      if (!shared) continue;
      if (!beats(other)) return "NULLIFIER_CONFLICT";
      losers.add(id(other));
    }
    const uncovered = this.#uncovered(toHex(tx.feePayer), [...pending.map((one) => one.tx), tx], this.#world.tip);
    if (uncovered.includes(id(tx))) return "INSUFFICIENT_FEE_PAYER_BALANCE";
    for (const hash of uncovered) losers.add(hash);
    if (this.maxPending > 0 && pending.length >= this.maxPending) {
      const lowest = pending[pending.length - 1].tx;
      if (!beats(lowest)) return "LOW_PRIORITY_FEE";
      losers.add(id(lowest));
    }
    return [...losers];
  }

  #uncovered(payer: string, txs: TxFacts[], block: number): string[] {
    const own = txs.filter((tx) => toHex(tx.feePayer) === payer).sort((a, b) => (above(a, b) ? -1 : 1));
    if (own.length === 0) return [];
    let balance = this.#world.feeJuice(own[0].feePayer, block);
    return own.flatMap((tx) => {
      if (balance + tx.claim < tx.feeLimit) return [id(tx)];
      balance += tx.claim - tx.feeLimit;
      return [];
    });
  }

  #enter(tx: TxFacts, minedIn: number | undefined): void {
    this.txs.set(id(tx), { tx, minedIn, receivedAt: this.#world.time });
    this.bodies.set(id(tx), tx);
    this.#undelete(id(tx));
  }

  #undelete(hash: string): void {
    this.deletedInSlot.delete(hash);
    const before = this.unmined.get(hash);
    if (before !== undefined) this.unmined.set(hash, { ...before, deleted: false });
  }

  #delete(hash: string): void {
    if (!this.txs.delete(hash)) return;
    this.protectedFor.delete(hash);
    const before = this.unmined.get(hash);
    if (before !== undefined) this.unmined.set(hash, { ...before, deleted: true });
    else this.deletedInSlot.set(hash, this.slot);
  }

  #settle(fresh: string[]): void {
    if (fresh.length === 0) return;
    const payers = new Set(fresh.flatMap((hash) => (this.txs.has(hash) ? [this.#payer(hash)] : [])));
    this.#dropUnpaid(payers, this.#world.tip);
    this.#dropSurplus();
  }

  #payer(hash: string): string {
    const found = this.txs.get(hash);
    return found === undefined ? "" : toHex(found.tx.feePayer);
  }

  #dropUnpaid(payers: Iterable<string>, block: number): void {
    for (const payer of payers) {
      const own = this.pending().map(({ tx }) => tx);
      for (const hash of this.#uncovered(payer, own, block)) this.#delete(hash);
    }
  }

  #dropSurplus(): void {
    if (this.maxPending > 0) for (const { tx } of this.pending().slice(this.maxPending)) this.#delete(id(tx));
  }

  protect(hashes: readonly string[], slot: number): string[] {
    return hashes.filter((hash) => {
      const before = this.protectedFor.get(hash);
      if (before === undefined || before < slot) this.protectedFor.set(hash, slot);
      if (this.txs.has(hash)) return false;
      const body = this.isDeleted(hash) ? this.bodies.get(hash) : undefined;
      if (body === undefined) return true;
      this.#enter(body, this.#world.minedIn(body.hash)?.number);
      return false;
    });
  }

  remove(hashes: readonly string[]): void {
    for (const hash of hashes) this.#delete(hash);
  }

  blockAdded(number: number): void {
    const block = this.#world.blocks[number];
    const payers = new Set<string>();
    for (const { hash } of block.txs) {
      const found = this.txs.get(toHex(hash));
      if (found === undefined) continue;
      found.minedIn = number;
      payers.add(toHex(found.tx.feePayer));
      if ((this.unmined.get(toHex(hash))?.block ?? Number.POSITIVE_INFINITY) <= number)
        this.unmined.delete(toHex(hash));
    }
    const spent = new Set(block.txs.flatMap((tx) => tx.nullifiers.map(toHex)));
    for (const { tx } of this.pending()) {
      if (tx.expiration <= block.timestamp || tx.nullifiers.some((n) => spent.has(toHex(n)))) this.#delete(id(tx));
    }
    this.#dropUnpaid(payers, number);
  }

  slotStarted(slot: number): void {
    if (slot === this.slot) return;
    this.slot = slot;
    for (const [hash, deleted] of [...this.deletedInSlot]) {
      if (deleted >= slot) continue;
      this.deletedInSlot.delete(hash);
      this.bodies.delete(hash);
    }
    const freed = [...this.protectedFor].filter(([, until]) => until < slot).map(([hash]) => hash);
    const waiting = freed.filter((hash) => this.txs.get(hash)?.minedIn === undefined && this.txs.has(hash));
    for (const hash of freed) if (!waiting.includes(hash)) this.protectedFor.delete(hash);
    this.#settle(this.#resolve(waiting));
  }

  /** Makes txs pending one after the other; those not yet processed count as protected. */
  #resolve(hashes: string[]): string[] {
    for (const hash of hashes) this.protectedFor.set(hash, Number.POSITIVE_INFINITY);
    return hashes.filter((hash) => {
      const { tx } = this.txs.get(hash) as ModelTx;
      const rivals = this.pending().filter(({ tx: other }) =>
        other.nullifiers.some((n) => tx.nullifiers.some((own) => toHex(own) === toHex(n))),
      );
      this.protectedFor.delete(hash);
      if (!this.#world.admission()(tx) || rivals.some(({ tx: other }) => !above(tx, other))) {
        this.#delete(hash);
        return false;
      }
      for (const { tx: other } of rivals) this.#delete(id(other));
      return true;
    });
  }

  pruned(tip: number): void {
    const back = [...this.txs.values()].filter(({ minedIn }) => minedIn !== undefined && minedIn > tip);
    if (back.length === 0) return;
    for (const found of back) {
      const hash = id(found.tx);
      const before = this.unmined.get(hash);
      const block = found.minedIn ?? 0;
      if (before === undefined || before.block < block)
        this.unmined.set(hash, { block, deleted: before?.deleted ?? false });
      found.minedIn = undefined;
    }
    if (this.#deleteAfterReorg) {
      this.remove(back.map(({ tx }) => id(tx)));
      return;
    }
    this.#resolve(back.map(({ tx }) => id(tx)).filter((hash) => !this.protectedFor.has(hash)));
    for (const { tx } of this.pending()) if (!this.#world.hasBlock(tx.anchorHash, tip)) this.#delete(id(tx));
    this.#dropUnpaid(new Set(this.pending().map(({ tx }) => toHex(tx.feePayer))), tip);
    this.#dropSurplus();
  }

  finalized(block: number): void {
    for (let number = 1; number <= block; number++) {
      for (const { tx, minedIn } of [...this.txs.values()]) {
        if (minedIn !== number) continue;
        if (!this.archive.includes(id(tx))) this.archive.push(id(tx));
        this.archive = this.archive.slice(Math.max(0, this.archive.length - this.#archiveLimit));
        this.#delete(id(tx));
      }
    }
    for (const [hash, mark] of [...this.unmined]) {
      if (!mark.deleted || mark.block > block) continue;
      this.unmined.delete(hash);
      this.bodies.delete(hash);
    }
  }

  restart(): void {
    this.protectedFor.clear();
    this.slot = 0;
    for (const hash of this.deletedInSlot.keys()) this.deletedInSlot.set(hash, -1);
    this.txs.clear();
    for (const [hash, tx] of [...this.bodies].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (this.isDeleted(hash)) continue;
      const minedIn = this.#world.minedIn(tx.hash)?.number;
      const decision = minedIn === undefined && (this.#world.admission()(tx) ? this.#decide(tx, undefined) : "expired");
      if (typeof decision === "string") this.#discard(hash);
      else {
        for (const loser of decision || []) this.#discard(loser);
        this.txs.set(hash, { tx, minedIn, receivedAt: 0 });
      }
    }
  }

  #discard(hash: string): void {
    this.txs.delete(hash);
    this.unmined.delete(hash);
    this.bodies.delete(hash);
  }
}
