import { headerTimestamp, headerTotalMana } from "../protocol/block-header.ts";
import { counter, gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { ChainStore } from "./chain-store.ts";
import type { SyncStageTimes, UnwindReason } from "./sync-services.ts";
import type { Synchronizer } from "./synchronizer.ts";

const STATUS = "aztec.status";
const HEIGHTS = { [STATUS]: "any" } as const;

export const ARCHIVER_METRICS = {
  l1BlockHeight: gauge("aztec.archiver.l1_block_height", {
    meaning: "latest L1 block that the node has processed",
  }),
  blockHeight: gauge("aztec.archiver.block_height", {
    labels: HEIGHTS,
    meaning: "latest block; without status and proposed: stored, also proven and finalized",
  }),
  checkpointHeight: gauge("aztec.archiver.checkpoint_height", {
    labels: HEIGHTS,
    meaning: "latest checkpoint; without status: stored, also proven and finalized",
  }),
  txCount: upDownCounter("aztec.archiver.tx_count", { meaning: "transactions of the blocks stored since the start" }),
  blockMana: histogram("aztec.archiver.block.mana_count", { unit: "Mmana", meaning: "mana that blocks used" }),
  blockTxs: histogram("aztec.archiver.block.tx_count", { unit: "tx", meaning: "transactions of blocks" }),
  blockSyncTime: histogram("aztec.archiver.block.sync_per_item_duration", {
    unit: "ms",
    meaning: "work on a block from its blobs to the store, as an average of the blocks stored together",
  }),
  blockSyncCount: upDownCounter("aztec.archiver.block.sync_count", { meaning: "blocks stored since the start" }),
  pruneCount: upDownCounter("aztec.archiver.prune_count", {
    meaning: "times that checkpointed blocks were removed: a reorg of L1, or an epoch that was not proven in time",
  }),
  pruneTime: histogram("aztec.archiver.prune_duration", {
    unit: "ms",
    meaning: "time of removing checkpointed blocks",
  }),
  messageCount: upDownCounter("aztec.archiver.message.sync_count", {
    meaning: "messages from L1 stored since the start",
  }),
  messageTime: histogram("aztec.archiver.message.sync_per_item_duration", {
    unit: "ms",
    meaning: "time of reading and storing a message, as an average of those read together",
  }),
  removals: counter("svc.sync.removals", {
    labels: {
      reason: ["l1-reorg", "unproven", "rollback", "slot-passed", "replaced"] satisfies UnwindReason[],
    },
    meaning: "times that blocks were removed, by reason; those of the last two were proposed only",
  }),
  target: gauge("svc.sync.target_checkpoint", { meaning: "latest checkpoint on L1" }),
  complete: gauge("svc.sync.complete", { meaning: "1 once the initial sync is complete, 0 before" }),
  l1Age: gauge("svc.sync.l1_age", {
    unit: "s",
    meaning: "age of the latest L1 block that the node has processed, by the node's clock",
  }),
  blockAge: gauge("svc.sync.block_age", {
    unit: "s",
    meaning: "age of the latest block by the node's clock",
  }),
  work: counter("svc.sync.work", {
    unit: "s",
    labels: { stage: "any" },
    meaning: "time in which each stage of sync worked; stages overlap, waiting is what fetches cost",
  }),
} as const;

/** Stages of SyncStageTimes that are times. */
const STAGES = ["l1Fetch", "blobFetch", "waiting", "rebuild", "prepare", "commit"] as const;
/** Those that are work on blocks. */
const BLOCK_WORK = ["rebuild", "prepare", "commit"] as const;

export interface ObservedArchiver {
  synchronizer: Synchronizer;
  chain: ChainStore;
  /** Unix milliseconds. */
  now(): number;
}

/** Exports how a node follows the chain. */
export function observeArchiver(metrics: Metrics, { synchronizer, chain, now }: ObservedArchiver): void {
  const rows = ARCHIVER_METRICS;
  const txCount = metrics.counter(rows.txCount);
  const blockMana = metrics.histogram(rows.blockMana);
  const blockTxs = metrics.histogram(rows.blockTxs);
  const blockSyncTime = metrics.histogram(rows.blockSyncTime);
  const blockSyncCount = metrics.counter(rows.blockSyncCount);
  const pruneCount = metrics.counter(rows.pruneCount);
  const pruneTime = metrics.histogram(rows.pruneTime);
  const messageCount = metrics.counter(rows.messageCount);
  const messageTime = metrics.histogram(rows.messageTime);
  const removals = metrics.counter(rows.removals);
  const secondsSince = (time: number): number => Math.round(now() - time * 1000) / 1000;
  let target = 0;
  let before: SyncStageTimes = { ...synchronizer.times };

  synchronizer.on("blocksAdded", ({ first, last }) => {
    blockSyncCount.add(last - first + 1);
    for (let number = first; number <= last; number++) {
      const block = chain.block(number);
      if (block === undefined) continue;
      txCount.add(block.txCount);
      blockTxs.record(block.txCount);
      blockMana.record(headerTotalMana(block.header) / 1e6);
    }
  });
  synchronizer.on("blocksRemoved", ({ reason, checkpoints, ms }) => {
    removals.add(1, { reason });
    if (checkpoints === 0 || reason === "rollback") return;
    pruneCount.add();
    if (ms !== undefined) pruneTime.record(Math.ceil(ms));
  });
  synchronizer.on("messagesAdded", ({ count, ms }) => {
    messageCount.add(count);
    messageTime.record(Math.ceil(ms / count), undefined, count);
  });
  synchronizer.on("progress", ({ targetCheckpoint }) => {
    target = targetCheckpoint;
    const { times } = synchronizer;
    const blocks = times.blocks - before.blocks;
    if (blocks > 0) {
      const work = BLOCK_WORK.reduce((sum, stage) => sum + times[stage] - before[stage], 0);
      blockSyncTime.record(work / blocks, undefined, blocks);
    }
    before = { ...times };
  });

  metrics.observe((to) => {
    const processed = chain.state.processed();
    if (processed !== undefined) {
      to.set(rows.l1BlockHeight, processed.number);
      to.set(rows.l1Age, secondsSince(processed.timestamp));
    }
    const latest = chain.latestBlockNumber();
    const tip = chain.block(latest);
    if (tip !== undefined) to.set(rows.blockAge, secondsSince(Number(headerTimestamp(tip.header))));
    to.set(rows.blockHeight, latest);
    to.set(rows.blockHeight, latest, { [STATUS]: "proposed" });
    to.set(rows.blockHeight, chain.provenBlockNumber(), { [STATUS]: "proven" });
    to.set(rows.blockHeight, chain.finalizedBlockNumber(), { [STATUS]: "finalized" });
    to.set(rows.checkpointHeight, chain.latestCheckpointNumber());
    to.set(rows.checkpointHeight, chain.provenCheckpointNumber(), { [STATUS]: "proven" });
    to.set(rows.checkpointHeight, chain.finalizedCheckpointNumber(), { [STATUS]: "finalized" });
    to.set(rows.target, Math.max(target, chain.latestCheckpointNumber()));
    to.set(rows.complete, synchronizer.initialSyncComplete ? 1 : 0);
    for (const stage of STAGES) to.set(rows.work, synchronizer.times[stage] / 1000, { stage });
  });
}
