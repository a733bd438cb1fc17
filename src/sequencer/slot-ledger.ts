import type { Logger } from "../telemetry/logger.ts";
import { SKIP_REASONS, type SkipReason } from "./skip.ts";

/** Slots by how they ended for this node. */
export type SlotCounts = { readonly [K in SkipReason | "published"]: number };

/** How a level is chosen: what is usual on a quiet network is not worth an operator's attention. */
const QUIET: ReadonlySet<SkipReason> = new Set([
  "paused",
  "not proposer",
  "no txs",
  "slot taken",
  "escape hatch",
  "interrupted",
]);

/** A node that is still in its initial sync cannot propose, and its progress is logged. */
function isStarting(reason: SkipReason, facts: object): boolean {
  return reason === "not synced" && "initialSyncComplete" in facts && facts.initialSyncComplete === false;
}

interface OpenSlot {
  slot: number;
  reason: SkipReason;
  facts: object;
}

/**
 * Keeps account of slots. A slot may be tried many times, so what kept it from being proposed counts, and is logged, once it is over:
 * the last reason.
 */
export class SlotLedger {
  readonly #logger: Logger;
  readonly #counts = new Map<string, number>();
  #open: OpenSlot | undefined;
  #published = -1;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  counts(): SlotCounts {
    const names = ["published", ...SKIP_REASONS];
    return Object.fromEntries(names.map((name) => [name, this.#counts.get(name) ?? 0])) as SlotCounts;
  }

  /** The slot in which the next L1 block comes: an earlier one is over. */
  begin(slot: number): void {
    if (this.#open !== undefined && this.#open.slot < slot) this.close();
  }

  skipped(slot: number, reason: SkipReason, facts: object): void {
    if (slot <= this.#published) return;
    // It only says that whatever was the matter earlier in the slot lasted too long.
    if (reason === "not begun in time" && this.#open?.slot === slot) return;
    if (this.#open === undefined || this.#open.slot !== slot || this.#open.reason !== reason) {
      this.#logger.debug({ slot, reason, ...facts }, "the slot is not proposed for now");
    }
    this.#open = { slot, reason, facts };
  }

  published(slot: number): void {
    this.#published = slot;
    if (this.#open?.slot === slot) this.#open = undefined;
    this.#count("published");
  }

  /** Settles the slot that is open. */
  close(): void {
    if (this.#open === undefined) return;
    const { slot, reason, facts } = this.#open;
    this.#open = undefined;
    this.#count(reason);
    const level = QUIET.has(reason) || isStarting(reason, facts) ? "debug" : "warn";
    this.#logger[level]({ slot, reason, ...facts }, "slot {slot} passed without a checkpoint of this node: {reason}");
  }

  #count(name: SkipReason | "published"): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}
