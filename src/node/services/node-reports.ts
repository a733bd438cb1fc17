import type { Configuration } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import type { NodeReports, PeerReport, PooledTxReport } from "../../rpc/admin/ports/node-reports.ts";
import type { HealthReport } from "../../rpc/ports/node-health.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { optionReports } from "./option-reports.ts";

interface ReportedParts {
  values: Values;
  /** What the options gave; undefined if the values have no origins. */
  configuration: Pick<Configuration, "values" | "origins"> | undefined;
  logTail: Pick<LogTail, "read"> | undefined;
  metrics: Metrics;
  health: { report(): HealthReport };
  pool: Pick<TxPool, "pendingHashes" | "pendingEntry">;
  /** Undefined where P2P is off. */
  p2p: { reports(): PeerReport[] } | undefined;
  /** Lower-case 0x text. */
  attesters(): string[];
}

/** What a node tells its operator. */
export function nodeReports(parts: ReportedParts): NodeReports {
  const { values, configuration, logTail, metrics, health, pool, p2p, attesters } = parts;
  return {
    health: () => health.report(),
    metrics: () => metrics.collect(),
    logLines: (after, most) => logTail?.read(after, most) ?? [],
    options: () => optionReports(values, configuration),
    peers: () => p2p?.reports() ?? [],
    pendingTxs: (most) => pool.pendingHashes(most).flatMap((hash) => pendingTx(pool, hash)),
    attesters,
  };
}

function pendingTx(pool: Pick<TxPool, "pendingEntry">, hash: Uint8Array): PooledTxReport[] {
  const entry = pool.pendingEntry(hash);
  if (entry === undefined) return [];
  const { feePayer, priorityFee, feeLimit, gasLimits, forPublic, bytes, receivedAt, expiration } = entry;
  return [
    {
      ...{ hash, feePayer, priorityFee, feeLimit, forPublic, bytes, expiration },
      l2GasLimit: gasLimits.l2Gas,
      receivedAt: receivedAt === 0 ? undefined : receivedAt,
    },
  ];
}
