import { gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { AttestationPool } from "./attestations/attestation-pool.ts";
import { MINED_DELAY_MS, type TxPool } from "./pool/tx-pool.ts";

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
