import { ExecutionError, LIMIT_EXCEEDED, RpcError } from "../jsonrpc/errors.ts";
import type { PoolChange } from "../ports/pool-events.ts";
import { encodePendingEvent, notification } from "./notification.ts";
import type { Outlet, Progress, Subscription } from "./subscription.ts";

const PENDING_TRANSACTIONS = "pendingTransactions";
/** Hashes in the changes that are kept for clients that resume. */
const MAX_HASHES = 16_384;
const CURSOR = /^(\w{1,32})\.(\d{1,15})$/;

interface KeptChange {
  readonly change: PoolChange;
  text?: Uint8Array;
}

/** The recent changes of the pool of one run of a node. */
export class PoolChanges {
  #kept: KeptChange[] = [];
  #run = "";
  #hashes = 0;
  #next = 0;

  get run(): string {
    return this.#run;
  }

  /** Number of the next change. */
  get next(): number {
    return this.#next;
  }

  /** Number of the first change that is kept. */
  get first(): number {
    return this.#next - this.#kept.length;
  }

  /** Whether the change follows the last one. */
  add(change: PoolChange): boolean {
    const { run, number, added, removed } = change;
    // Numbers that do not follow: changes were missed, and none of before can be joined to this one.
    const isNext = run === this.#run && number === this.#next;
    if (!isNext) {
      this.#kept = [];
      this.#hashes = 0;
    }
    this.#run = run;
    this.#next = number + 1;
    this.#kept.push({ change });
    this.#hashes += added.length + removed.length;
    while (this.#hashes > MAX_HASHES && this.#kept.length > 1) {
      const { change: oldest } = this.#kept.shift()!;
      this.#hashes -= oldest.added.length + oldest.removed.length;
    }
    return isNext;
  }

  /** Text of the notification of a kept change; undefined for one that only marks a new run. */
  text(number: number): Uint8Array | undefined {
    const kept = this.#kept[number - this.first];
    if (kept.change.added.length + kept.change.removed.length === 0) return undefined;
    kept.text ??= notification(PENDING_TRANSACTIONS, this.cursorAfter(number), encodePendingEvent, kept.change);
    return kept.text;
  }

  cursorAfter(number: number): string {
    return `${this.#run}.${number}`;
  }

  /** Number of the first change for a client. Throws an RpcError for a cursor that cannot be resumed. */
  resume(cursor: string | undefined): number {
    if (this.#run === "") throw new RpcError(LIMIT_EXCEEDED, "The pool cannot be followed at the moment");
    if (cursor === undefined) return this.#next;
    const match = CURSOR.exec(cursor);
    if (match === null) throw new ExecutionError("cursor: not one of an event about pending transactions");
    const next = Number(match[2]) + 1;
    if (match[1] !== this.#run) throw tooOld("the node has been started again since");
    if (next < this.first || next > this.#next) throw tooOld("the changes after it are not kept any more");
    return next;
  }
}

function tooOld(why: string): ExecutionError {
  return new ExecutionError(`cursor: too old, ${why}; list the pending transactions and subscribe without a cursor`, {
    data: { reason: "cursor-too-old" },
  });
}

/** Changes of the pending txs, in their order. */
export class PendingSubscription implements Subscription {
  readonly id = PENDING_TRANSACTIONS;
  readonly filters = 0;
  readonly #changes: PoolChanges;
  readonly #run: string;
  #next: number;

  constructor(changes: PoolChanges, next: number) {
    this.#changes = changes;
    this.#run = changes.run;
    this.#next = next;
  }

  /** Whether changes were missed that are not kept any more. */
  get #lost(): boolean {
    const { run, first } = this.#changes;
    return run !== this.#run || this.#next < first;
  }

  deliver(outlet: Outlet, end: number): Progress {
    if (this.#lost) return "lost";
    for (; this.#next < this.#changes.next; this.#next++) {
      if (outlet.full) return "blocked";
      if (performance.now() >= end) return "more";
      const text = this.#changes.text(this.#next);
      if (text !== undefined) outlet.send(text);
    }
    return "done";
  }
}
