import type { Logger } from "../telemetry/logger.ts";
import { SKIP_REASONS, type SkipReason } from "./skip.ts";

/** Number of slots by how they ended for this node. */
export type SlotCounts = { readonly [K in SkipReason | "published"]: number };

/** Reasons that are normal in operation; they are logged at debug level. */
const EXPECTED: ReadonlySet<SkipReason> = new Set([
  "paused",
  "not proposer",
  "no txs",
  "slot taken",
  "escape hatch",
  "interrupted",
]);

/** Reasons that show that the slot was not this node's, or that it was to do nothing in it. */
const NO_DUTY: ReadonlySet<SkipReason> = new Set([
  "paused",
  "no committee",
  "not proposer",
  "no keys",
  "no txs",
  "slot taken",
  "escape hatch",
]);

/** Facts that say more about a reason. */
const SHOWN_FACTS = ["obstacle", "rule", "error", "why", "outcome"] as const;

function shownReason(reason: SkipReason, facts: object): string {
  const [more] = SHOWN_FACTS.flatMap((name) => (facts as Readonly<Record<string, unknown>>)[name] ?? []);
  return more === undefined ? reason : `${reason}: ${String(more)}`;
}

/** Whether the node is still in its initial sync, which logs its own progress. */
function isStarting(reason: SkipReason, facts: object): boolean {
  return reason === "not synced" && "initialSyncComplete" in facts && facts.initialSyncComplete === false;
}

interface OpenSlot {
  slot: number;
  reason: SkipReason;
  facts: object;
}

/**
 * Counts slots by outcome. A slot may be tried many times, so only the last reason for skipping it is counted and
 * logged, once the slot is over.
 */
export class SlotLedger {
  readonly #logger: Logger;
  readonly #missed: (slot: number, reason: string) => void;
  readonly #counts = new Map<string, number>();
  #open: OpenSlot | undefined;
  #published = -1;

  /** `missed` is told of slots in which this node could have proposed, once they are over. */
  constructor(logger: Logger, missed: (slot: number, reason: string) => void = () => {}) {
    this.#logger = logger;
    this.#missed = missed;
  }

  counts(): SlotCounts {
    const names = ["published", ...SKIP_REASONS];
    return Object.fromEntries(names.map((name) => [name, this.#counts.get(name) ?? 0])) as SlotCounts;
  }

  /** Called with the slot of the next L1 block; an earlier open slot is over. */
  begin(slot: number): void {
    if (this.#open !== undefined && this.#open.slot < slot) this.close();
  }

  skipped(slot: number, reason: SkipReason, facts: object): void {
    if (slot <= this.#published) return;
    // An earlier reason in this slot caused the delay, so that reason is kept.
    if (reason === "started too late" && this.#open?.slot === slot) return;
    if (this.#open === undefined || this.#open.slot !== slot || this.#open.reason !== reason) {
      this.#logger.debug({ slot, reason, ...facts }, "no checkpoint is proposed for the slot yet");
    }
    this.#open = { slot, reason, facts };
  }

  published(slot: number): void {
    this.#published = slot;
    if (this.#open?.slot === slot) this.#open = undefined;
    this.#count("published");
  }

  /** Counts and logs the open slot. */
  close(): void {
    if (this.#open === undefined) return;
    const { slot, reason, facts } = this.#open;
    this.#open = undefined;
    this.#count(reason);
    if (!NO_DUTY.has(reason) && !isStarting(reason, facts)) this.#missed(slot, shownReason(reason, facts));
    const level = EXPECTED.has(reason) || isStarting(reason, facts) ? "debug" : "warn";
    this.#logger[level]({ slot, reason, ...facts }, "slot {slot} passed without a checkpoint of this node: {reason}");
  }

  #count(name: SkipReason | "published"): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}
