import { counter, gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Sequencer } from "./sequencer.ts";
import type { BuildRecord } from "./sequencer-parts.ts";
import { SKIP_REASONS, type SkipReason } from "./skip.ts";
import type { VoteSource } from "./votes/governance-signals.ts";

const STATUS = "aztec.status";
const ERROR = "aztec.error_type";
const STATE = "aztec.sequencer.state";
const BLOCK_FAILURES = ["no txs", "too few valid txs", "build failed", "block refused", "proposal not sent"] as const;
/** As the release names them. */
const PRECHECKS = { "slot taken": "slot_already_taken", "refused by L1": "rollup_contract_check_failed" } as const;
const CHECKPOINT_FAILURES = [
  "started too late",
  "deadline missed",
  "too few blocks",
  "assembly failed",
  "attestations missing",
  "publishing failed",
] as const;

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
  blocks: upDownCounter("aztec.sequencer.block.count", {
    labels: { [STATUS]: ["built", "failed"] },
    meaning: "blocks that this node began to build for its slots",
  }),
  blockTime: histogram("aztec.sequencer.block.build_duration", { unit: "ms", meaning: "time of building a block" }),
  manaPerSecond: gauge("aztec.sequencer.block.build_mana_per_second", {
    unit: "mana/s",
    meaning: "mana of the latest own block per second of building it",
  }),
  blockFailures: upDownCounter("aztec.sequencer.block.proposal_failed_count", {
    labels: { [ERROR]: BLOCK_FAILURES },
    meaning: "slots of this node without a checkpoint because a block could not be built or proposed",
  }),
  checkpointTime: histogram("aztec.sequencer.checkpoint.build_duration", {
    unit: "ms",
    meaning: "time from the first block of a checkpoint to the finished checkpoint",
  }),
  checkpointBlocks: gauge("aztec.sequencer.checkpoint.block_count", { meaning: "blocks of the latest own checkpoint" }),
  checkpointTxs: gauge("aztec.sequencer.checkpoint.tx_count", {
    unit: "tx",
    meaning: "transactions of the latest own checkpoint",
  }),
  checkpointMana: gauge("aztec.sequencer.checkpoint.total_mana", {
    unit: "mana",
    meaning: "mana of the latest own checkpoint",
  }),
  proposed: upDownCounter("aztec.sequencer.checkpoint.proposal_success_count", {
    meaning: "own checkpoints to which the committee attested",
  }),
  prechecks: upDownCounter("aztec.sequencer.checkpoint.precheck_failed_count", {
    labels: { [ERROR]: Object.values(PRECHECKS) },
    meaning: "slots of this node that were given up before a block was built",
  }),
  checkpointFailures: upDownCounter("aztec.sequencer.checkpoint.proposal_failed_count", {
    labels: { [ERROR]: CHECKPOINT_FAILURES },
    meaning: "slots of this node whose blocks did not become a checkpoint on L1",
  }),
  slashings: upDownCounter("aztec.sequencer.slashing.attempts_count", {
    meaning: "votes to slash and executions of a round that this node prepared for L1",
  }),
  transitionBuffer: histogram("aztec.sequencer.state_transition_buffer.duration", {
    unit: "ms",
    labels: { [STATE]: "any" },
    meaning: "time left, at entering a state, until the latest time for it",
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

interface ObservedSequencer {
  sequencer: Pick<Sequencer, "status" | "onStateChange">;
}

/** Exports what became of this node's slots. */
export function observeSequencer(metrics: Metrics, { sequencer }: ObservedSequencer): () => void {
  const rows = SEQUENCER_METRICS;
  const buffer = metrics.histogram(rows.transitionBuffer);
  const stopBuffer = sequencer.onStateChange(({ newState, secondsLeft }) => {
    if (secondsLeft !== undefined) buffer.record(Math.floor(secondsLeft * 1000), { [STATE]: newState });
  });
  const stopObserving = metrics.observe((to) => {
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
    for (const reason of BLOCK_FAILURES) to.set(rows.blockFailures, slots[reason], { [ERROR]: reason });
    for (const reason of CHECKPOINT_FAILURES) to.set(rows.checkpointFailures, slots[reason], { [ERROR]: reason });
    for (const [reason, name] of Object.entries(PRECHECKS)) {
      to.set(rows.prechecks, slots[reason as keyof typeof PRECHECKS], { [ERROR]: name });
    }
  });
  return () => {
    stopBuffer();
    stopObserving();
  };
}

/** Counts what is built for own slots. */
export function buildRecord(metrics: Metrics): BuildRecord {
  const rows = SEQUENCER_METRICS;
  const blocks = metrics.counter(rows.blocks);
  const blockTime = metrics.histogram(rows.blockTime);
  const manaPerSecond = metrics.gauge(rows.manaPerSecond);
  const checkpointTime = metrics.histogram(rows.checkpointTime);
  const checkpointBlocks = metrics.gauge(rows.checkpointBlocks);
  const checkpointTxs = metrics.gauge(rows.checkpointTxs);
  const checkpointMana = metrics.gauge(rows.checkpointMana);
  const proposed = metrics.counter(rows.proposed);
  return {
    block(ms, mana) {
      blocks.add(1, { [STATUS]: "built" });
      blockTime.record(Math.ceil(ms));
      if (ms > 0) manaPerSecond.set(Math.ceil((mana * 1000) / ms));
    },
    failedBlock: () => blocks.add(1, { [STATUS]: "failed" }),
    checkpoint({ ms, blocks: count, txs, mana }) {
      checkpointTime.record(Math.ceil(ms));
      checkpointBlocks.set(count);
      checkpointTxs.set(txs);
      checkpointMana.set(mana);
    },
    proposed: () => proposed.add(),
  };
}

/** Counts the actions about slashing of a source of votes. */
export function countSlashings(metrics: Metrics, source: VoteSource): VoteSource {
  const attempts = metrics.counter(SEQUENCER_METRICS.slashings);
  return async (...asked) => {
    const requests = await source(...asked);
    attempts.add(requests.length);
    return requests;
  };
}
