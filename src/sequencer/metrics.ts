import type { L1Sender } from "../l1/tx/l1-sender.ts";
import { counter, gauge, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Sequencer } from "./sequencer.ts";
import { SKIP_REASONS, type SkipReason } from "./skip.ts";

/** Own accounts, which the configuration bounds. */
const SENDER = { "aztec.l1.sender": "any" } as const;

export const SEQUENCER_METRICS = {
  slots: counter("svc.sequencer.slots", {
    unit: "{slot}",
    labels: { outcome: ["published", ...SKIP_REASONS] },
    meaning: "slots that are over, by what became of them for this node",
  }),
  paused: gauge("svc.sequencer.paused", { meaning: "1 while the sequencer is paused" }),
  totalSlots: upDownCounter("aztec.sequencer.slot.total_count", {
    meaning: "slots in which a key of this node was the proposer",
  }),
  filledSlots: upDownCounter("aztec.sequencer.slot.filled_count", {
    meaning: "slots of this node with a checkpoint that L1 accepted",
  }),
  published: upDownCounter("aztec.sequencer.checkpoint.success_count", {
    meaning: "checkpoints of this node that L1 accepted",
  }),
  balance: gauge("aztec.l1_publisher.balance", {
    unit: "eth",
    labels: SENDER,
    meaning: "ETH of an account that publishes, read once in half a minute",
  }),
  accountBalance: gauge("aztec.l1.balance", {
    unit: "eth",
    labels: SENDER,
    meaning: "the same as aztec.l1_publisher.balance",
  }),
  mined: upDownCounter("aztec.l1_tx.mined_count", { labels: SENDER, meaning: "L1 transactions that were mined" }),
  reverted: upDownCounter("aztec.l1_tx.reverted_count", {
    labels: SENDER,
    meaning: "L1 transactions that were mined and reverted",
  }),
  notMined: upDownCounter("aztec.l1_tx.not_mined_count", {
    labels: SENDER,
    meaning: "L1 transactions that timed out or whose nonce was used by another",
  }),
} as const;

/** Reasons for which a slot is skipped before it is known whose it is, or because it is another's. */
const NOT_OWN: ReadonlySet<SkipReason> = new Set([
  "paused",
  "not synced",
  "unsettled blocks",
  "escape hatch",
  "no committee",
  "not proposer",
  "no keys",
  "L1 unavailable",
  "interrupted",
  "failed",
]);

export interface ObservedSequencer {
  sequencer: Pick<Sequencer, "status">;
  senders: readonly Pick<L1Sender, "address" | "outcomes">[];
  /** ETH by address. */
  balances(): ReadonlyMap<string, number>;
}

/** Exports what became of this node's slots, and its accounts on L1. */
export function observeSequencer(metrics: Metrics, { sequencer, senders, balances }: ObservedSequencer): () => void {
  const rows = SEQUENCER_METRICS;
  return metrics.observe((to) => {
    const { slots, paused } = sequencer.status();
    for (const [outcome, count] of Object.entries(slots)) to.set(rows.slots, count, { outcome });
    to.set(rows.paused, paused ? 1 : 0);
    const missed = SKIP_REASONS.filter((reason) => !NOT_OWN.has(reason)).reduce(
      (sum, reason) => sum + slots[reason],
      0,
    );
    to.set(rows.totalSlots, slots.published + missed);
    to.set(rows.filledSlots, slots.published);
    to.set(rows.published, slots.published);
    for (const [address, eth] of balances()) {
      to.set(rows.balance, eth, { "aztec.l1.sender": address });
      to.set(rows.accountBalance, eth, { "aztec.l1.sender": address });
    }
    for (const { address, outcomes } of senders) {
      const labels = { "aztec.l1.sender": address };
      to.set(rows.mined, outcomes.mined, labels);
      to.set(rows.reverted, outcomes.reverted, labels);
      to.set(rows.notMined, outcomes.notMined, labels);
    }
  });
}
