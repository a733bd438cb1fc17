import { ARCHIVER_METRICS } from "../archiver/metrics.ts";
import { CHECKPOINT_METRICS } from "../checkpoints/proposals/metrics.ts";
import { ENDPOINT_METRICS } from "../endpoints/metrics.ts";
import { EXECUTION_METRICS } from "../execution/metrics.ts";
import { L1_METRICS } from "../l1/rpc/metrics.ts";
import { L1_TX_METRICS } from "../l1/tx/metrics.ts";
import { MEMPOOL_METRICS } from "../mempool/metrics.ts";
import { PROOF_METRICS } from "../mempool/proofs/metrics.ts";
import { P2P_METRICS } from "../p2p/metrics.ts";
import { TX_COLLECTION_METRICS } from "../p2p/tx-collection/metrics.ts";
import { OTLP_METRICS } from "../process/otlp/otlp-export.ts";
import { AGENT_METRICS } from "../prover/agent/metrics.ts";
import { BROKER_METRICS } from "../prover/broker/metrics.ts";
import { PROVER_NODE_METRICS } from "../prover/node/metrics.ts";
import { RPC_METRICS } from "../rpc/metrics.ts";
import { SEQUENCER_METRICS } from "../sequencer/metrics.ts";
import { SLASHER_METRICS } from "../slasher/metrics.ts";
import { SNAPSHOT_METRICS } from "../snapshots/metrics.ts";
import { STORAGE_METRICS } from "../storage/metrics.ts";
import { DUTY_METRICS } from "../telemetry/duty-metrics.ts";
import type { MetricRow } from "../telemetry/metrics/metric-row.ts";
import { PROCESS_METRICS } from "../telemetry/metrics/process-metrics.ts";
import { TARGET_METRICS } from "../telemetry/metrics/target-info.ts";
import { VALIDATOR_METRICS } from "../validator/metrics.ts";
import { WORLD_STATE_METRICS } from "../world-state/metrics.ts";
import { RPC_ONLY_METRICS } from "./rpc-only/metrics.ts";

type MetricTable = { readonly [key: string]: MetricRow | MetricTable };

/** All metrics of a node by subsystem, each subsystem's own table. */
const TABLES: Readonly<Record<string, readonly MetricTable[]>> = {
  "Process and node": [TARGET_METRICS, PROCESS_METRICS, OTLP_METRICS],
  "Sync of the chain": [ARCHIVER_METRICS, SNAPSHOT_METRICS],
  "World state": [WORLD_STATE_METRICS],
  Stores: [STORAGE_METRICS],
  L1: [L1_METRICS, L1_TX_METRICS],
  Endpoints: [ENDPOINT_METRICS],
  "JSON-RPC": [RPC_METRICS, RPC_ONLY_METRICS],
  "Pool and proofs": [MEMPOOL_METRICS, PROOF_METRICS],
  Peers: [P2P_METRICS, TX_COLLECTION_METRICS],
  Execution: [EXECUTION_METRICS],
  Sequencer: [SEQUENCER_METRICS],
  "Validator and duties": [VALIDATOR_METRICS, CHECKPOINT_METRICS, DUTY_METRICS],
  "Slashing and sentinel": [SLASHER_METRICS],
  "Prover node": [PROVER_NODE_METRICS],
  "Proving broker and agents": [BROKER_METRICS, AGENT_METRICS],
};

function rowsOf(table: MetricTable): MetricRow[] {
  return Object.values(table).flatMap((entry) => (isRow(entry) ? [entry] : rowsOf(entry)));
}

function isRow(entry: MetricRow | MetricTable): entry is MetricRow {
  return typeof entry.name === "string";
}

/** The rows of each subsystem, by name. */
export function metricRows(): { subsystem: string; rows: MetricRow[] }[] {
  return Object.entries(TABLES).map(([subsystem, tables]) => ({
    subsystem,
    rows: tables.flatMap(rowsOf).sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
}
