import { gauge, histogram, upDownCounter } from "../../telemetry/metrics/metric-row.ts";
import type { Distribution, Metrics } from "../../telemetry/metrics/metrics.ts";
import type { ProvidedTxsRecord } from "./collecting-provider.ts";
import { COLLECTION_METHODS, type CollectionCounts } from "./collection-counts.ts";
import { type FileTxSource, TRANSFER_MS, TX_BYTES } from "./file-store-source.ts";
import type { TxUploads } from "./tx-uploads.ts";

const METHOD = "aztec.tx_collection.method";
const OF_METHOD = { [METHOD]: COLLECTION_METHODS } as const;

export const TX_COLLECTION_METRICS = {
  pooled: upDownCounter("aztec.tx_collector.txs_from_mempool_count", {
    meaning: "transactions of proposed blocks that the pool had",
  }),
  embedded: upDownCounter("aztec.tx_collector.txs_from_proposal_count", {
    meaning: "transactions of proposed blocks that came with the proposal",
  }),
  requested: upDownCounter("aztec.tx_collector.txs_from_p2p_count", {
    meaning: "transactions of proposed blocks that others were asked for, or that came meanwhile",
  }),
  missing: upDownCounter("aztec.tx_collector.missing_txs_count", {
    meaning: "transactions of proposed blocks that were not found in time",
  }),
  fraction: histogram("aztec.tx_collector.txs_requested_fraction", {
    bounds: [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1],
    meaning: "share of a proposed block's transactions that others were asked for",
  }),
  delay: histogram("aztec.tx_collector.txs_requested_delay", {
    unit: "ms",
    meaning: "time for which missing transactions of a proposed block were looked for",
  }),
  collected: upDownCounter("aztec.tx_collector.tx_count", {
    labels: OF_METHOD,
    meaning: "collected transactions, of proposed and of mined blocks, by how they came",
  }),
  uploaded: upDownCounter("aztec.p2p.tx_file_store.uploads_success", { meaning: "transactions that were uploaded" }),
  uploadsFailed: upDownCounter("aztec.p2p.tx_file_store.uploads_failed", {
    meaning: "transactions whose upload failed four times",
  }),
  uploadsSkipped: upDownCounter("aztec.p2p.tx_file_store.uploads_skipped", {
    meaning: "transactions that were uploaded before",
  }),
  uploadTime: histogram("aztec.p2p.tx_file_store.upload_duration", {
    unit: "ms",
    bounds: TRANSFER_MS,
    meaning: "time of uploading a transaction",
  }),
  queue: gauge("aztec.p2p.tx_file_store.queue_size", { meaning: "transactions that wait for their upload" }),
  downloaded: upDownCounter("aztec.p2p.tx_file_store.downloads_success", {
    meaning: "transactions that a file store gave",
  }),
  downloadsFailed: upDownCounter("aztec.p2p.tx_file_store.downloads_failed", {
    meaning: "transactions that a file store did not have, or not as they should be",
  }),
  downloadTime: histogram("aztec.p2p.tx_file_store.download_duration", {
    unit: "ms",
    bounds: TRANSFER_MS,
    meaning: "time of downloading a transaction",
  }),
  downloadSize: histogram("aztec.p2p.tx_file_store.download_size", {
    unit: "By",
    bounds: TX_BYTES,
    meaning: "bytes of downloaded transactions",
  }),
} as const;

/** Counts where the transactions of proposed blocks come from. */
export function providedTxsRecord(metrics: Metrics): ProvidedTxsRecord {
  const rows = TX_COLLECTION_METRICS;
  const pooledTxs = metrics.counter(rows.pooled);
  const embeddedTxs = metrics.counter(rows.embedded);
  const requested = metrics.counter(rows.requested);
  const missingTxs = metrics.counter(rows.missing);
  const fraction = metrics.histogram(rows.fraction);
  const delay = metrics.histogram(rows.delay);
  return {
    provided({ total, pooled, embedded, missing, ms }) {
      const asked = total - pooled - embedded;
      pooledTxs.add(pooled);
      embeddedTxs.add(embedded);
      requested.add(asked - missing);
      missingTxs.add(missing);
      if (asked > 0) fraction.record(asked / total);
      if (ms !== undefined) delay.record(Math.ceil(ms));
    },
  };
}

interface ObservedCollection {
  counts: CollectionCounts;
  fileStores: readonly Pick<FileTxSource, "counts" | "durations" | "sizes">[];
  /** Undefined if nothing is uploaded. */
  uploads: Pick<TxUploads, "counts" | "durations" | "waiting"> | undefined;
}

/** Exports what was collected, and the transfers with file stores. Returns an unsubscribe function. */
export function observeTxCollection(metrics: Metrics, { counts, fileStores, uploads }: ObservedCollection): () => void {
  const rows = TX_COLLECTION_METRICS;
  return metrics.observe((to) => {
    for (const [method, count] of Object.entries(counts.byMethod)) to.set(rows.collected, count, { [METHOD]: method });
    if (fileStores.length > 0) {
      const sum = (of: "success" | "failed") => fileStores.reduce((all, source) => all + source.counts[of], 0);
      to.set(rows.downloaded, sum("success"));
      to.set(rows.downloadsFailed, sum("failed"));
      to.setDistribution(rows.downloadTime, merged(fileStores.map(({ durations }) => durations.read())));
      to.setDistribution(rows.downloadSize, merged(fileStores.map(({ sizes }) => sizes.read())));
    }
    if (uploads === undefined) return;
    to.set(rows.uploaded, uploads.counts.success);
    to.set(rows.uploadsFailed, uploads.counts.failed);
    to.set(rows.uploadsSkipped, uploads.counts.skipped);
    to.set(rows.queue, uploads.waiting);
    to.setDistribution(rows.uploadTime, uploads.durations.read());
  });
}

function merged(all: readonly Distribution[]): Distribution {
  return all.reduce((a, b) => ({ counts: a.counts.map((count, i) => count + b.counts[i]), sum: a.sum + b.sum }));
}
