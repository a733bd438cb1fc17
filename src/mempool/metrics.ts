import { DROP_REASONS } from "../protocol/tx/drop-reasons.ts";
import { gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { AttestationPool } from "./attestations/attestation-pool.ts";
import { MINED_DELAY_MS, type TxPool } from "./pool/tx-pool.ts";

const EVICTION = "aztec.mempool.eviction_reason";
const OK = "aztec.ok";
const POOL = "aztec.pool.name";
const STATUS = "aztec.status";
const TX_POOL = { [POOL]: "TxPool" } as const;
const ATTESTATION_POOL = { [POOL]: "AttestationPool" } as const;

export const MEMPOOL_METRICS = {
  txCount: gauge("aztec.mempool.tx_count", {
    labels: { [POOL]: ["TxPool"], [STATUS]: ["pending", "protected", "mined"] },
    meaning: "transactions in the pool by state",
  }),
  txSize: histogram("aztec.mempool.tx_size", { unit: "By", meaning: "bytes of transactions that the pool took" }),
  txAdded: upDownCounter("aztec.mempool.tx_added_count", { meaning: "transactions that the pool took" }),
  txMinedDelay: histogram("aztec.mempool.tx_mined_delay", {
    unit: "ms",
    bounds: MINED_DELAY_MS,
    meaning: "time from a transaction's arrival to its block",
  }),
  ignored: upDownCounter("aztec.mempool.tx_pool_v2.ignored_count", {
    meaning: "transactions that were not taken because they were known or outbid",
  }),
  rejected: upDownCounter("aztec.mempool.tx_pool_v2.rejected_count", {
    meaning: "transactions that were not taken because they may not be pending",
  }),
  evicted: upDownCounter("aztec.mempool.tx_pool_v2.evicted_count", {
    labels: { [EVICTION]: DROP_REASONS },
    meaning: "transactions that left the pool without being final, by reason",
  }),
  restored: upDownCounter("aztec.mempool.tx_pool_v2.soft_deleted_hits", {
    meaning: "transactions named by proposals that had left the pool and were taken back",
  }),
  missing: upDownCounter("aztec.mempool.tx_pool_v2.missing_on_protect", {
    meaning: "transactions named by proposals that the pool did not have",
  }),
  received: upDownCounter("aztec.node.receive_tx.count", {
    labels: { [OK]: ["true", "false"] },
    meaning: "transactions that clients submitted; ok: taken, or known already",
  }),
  receiveTime: histogram("aztec.node.receive_tx.duration", {
    unit: "ms",
    labels: { [OK]: ["true", "false"] },
    meaning: "time of checking and adding a transaction that a client submitted",
  }),
  attestationCount: gauge("aztec.mempool.attestations_count", {
    labels: { [POOL]: ["AttestationPool"] },
    meaning: "attestations of the slots in memory",
  }),
  attestationsAdded: upDownCounter("aztec.mempool.attestations_added_count", {
    meaning: "attestations that the pool took",
  }),
} as const;

/** Exports the pool of transactions. */
export function observeTxPool(metrics: Metrics, pool: TxPool): void {
  const rows = MEMPOOL_METRICS;
  const size = metrics.histogram(rows.txSize);
  const added = metrics.counter(rows.txAdded);
  pool.onAdded((hashes) => {
    added.add(hashes.length);
    for (const hash of hashes) {
      const bytes = pool.bytesOf(hash);
      if (bytes !== undefined) size.record(bytes);
    }
  });
  metrics.observe((to) => {
    for (const [status, count] of Object.entries(pool.countByState())) {
      to.set(rows.txCount, count, { ...TX_POOL, [STATUS]: status });
    }
    to.setDistribution(rows.txMinedDelay, pool.minedDelays.read());
    to.set(rows.ignored, pool.refused.ignored);
    to.set(rows.rejected, pool.refused.rejected);
    for (const reason of DROP_REASONS) to.set(rows.evicted, pool.evicted.get(reason) ?? 0, { [EVICTION]: reason });
    to.set(rows.restored, pool.protections.restored);
    to.set(rows.missing, pool.protections.missing);
  });
}

/** Exports the pool of attestations. */
export function observeAttestations(
  metrics: Metrics,
  pool: Pick<AttestationPool, "attestationCount" | "attestationsAdded">,
): void {
  metrics.observe((to) => {
    to.set(MEMPOOL_METRICS.attestationCount, pool.attestationCount, ATTESTATION_POOL);
    to.set(MEMPOOL_METRICS.attestationsAdded, pool.attestationsAdded);
  });
}

/** Returns what counts the transactions that clients submit. */
export function countSubmissions(metrics: Metrics): (ms: number, ok: boolean) => void {
  const received = metrics.counter(MEMPOOL_METRICS.received);
  const receiveTime = metrics.histogram(MEMPOOL_METRICS.receiveTime);
  return (ms, ok) => {
    const labels = { [OK]: String(ok) };
    received.add(1, labels);
    receiveTime.record(Math.ceil(ms), labels);
  };
}
