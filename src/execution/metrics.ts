import type { TxGas } from "../protocol/fees/gas-fees.ts";
import { gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Phase } from "./executed-tx.ts";
import type { ExecutionRecord } from "./execution-record.ts";

const OK = "aztec.ok";
const DIMENSION = "aztec.gas_dimension";
const PHASE = "aztec.tx.phase_name";
const REVERTIBILITY = "aztec.revertibility";
const OKS = { [OK]: ["true", "false"] } as const;
const DIMENSIONS = { [DIMENSION]: ["DA", "L2"] } as const;
/** As the release names the phases. */
const PHASES: Readonly<Record<Phase, string>> = { setup: "Setup", app: "App logic", teardown: "Teardown" };
const OF_PHASE = { [PHASE]: Object.values(PHASES) } as const;

const GAS_BOUNDS = [
  1_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 15_000_000, 30_000_000,
] as const;
/** Most calls take less than the release's first bound. */
const MS_BOUNDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000] as const;
const US_BOUNDS = [5, 10, 25, 50, 100, 250, 500, 1_000, 5_000, 10_000, 50_000] as const;

/** Of blocks that this node builds or executes again; not of simulations for clients. */
export const EXECUTION_METRICS = {
  txTime: histogram("aztec.public_processor.tx_duration", {
    unit: "ms",
    bounds: MS_BOUNDS,
    meaning: "time of executing a transaction",
  }),
  txs: upDownCounter("aztec.public_processor.tx_count", {
    labels: OKS,
    meaning: "executed transactions; ok: a block can include them",
  }),
  txPhases: upDownCounter("aztec.public_processor.tx_phase_count", { meaning: "phases of executed transactions" }),
  txGas: histogram("aztec.public_processor.tx_gas", {
    unit: "gas",
    labels: DIMENSIONS,
    bounds: GAS_BOUNDS,
    meaning: "gas of a transaction",
  }),
  phaseTime: histogram("aztec.public_processor.phase_duration", {
    unit: "ms",
    labels: OF_PHASE,
    bounds: MS_BOUNDS,
    meaning: "time of the public calls of a phase",
  }),
  phases: upDownCounter("aztec.public_processor.phase_count", {
    labels: { ...OF_PHASE, ...OKS },
    meaning: "executed phases; ok: not reverted",
  }),
  totalGas: gauge("aztec.public_processor.total_gas", {
    unit: "gas",
    labels: DIMENSIONS,
    meaning: "gas of the latest block's transactions",
  }),
  totalGasHistogram: histogram("aztec.public_processor.total_gas_histogram", {
    unit: "gas",
    labels: DIMENSIONS,
    bounds: GAS_BOUNDS,
    meaning: "gas of the transactions of blocks",
  }),
  gasRate: histogram("aztec.public_processor.gas_rate", {
    unit: "gas/s",
    labels: { [DIMENSION]: ["L2"] },
    bounds: GAS_BOUNDS,
    meaning: "gas of a block's transactions per second of executing them",
  }),
  treeInsertion: histogram("aztec.public_processor.tree_insertion", {
    unit: "ms",
    bounds: MS_BOUNDS,
    meaning: "time of applying a transaction's effects to the trees; the release counts microseconds under this name",
  }),
  calls: upDownCounter("aztec.public_executor.simulation_count", {
    labels: OKS,
    meaning: "executed public calls; ok: not reverted",
  }),
  callTime: histogram("aztec.public_executor.simulation_duration", {
    unit: "ms",
    bounds: MS_BOUNDS,
    meaning: "time of a public call",
  }),
  manaPerSecond: histogram("aztec.public_executor.simulation_mana_per_second", {
    unit: "mana/s",
    meaning: "mana of a public call per second",
  }),
  manaUsed: histogram("aztec.public_executor.simulation_mana_used", {
    unit: "mana",
    bounds: GAS_BOUNDS,
    meaning: "mana of a public call",
  }),
  privateEffects: histogram("aztec.public_executor.private_effects_insertion", {
    unit: "us",
    labels: { [REVERTIBILITY]: ["revertible", "non-revertible"] },
    bounds: US_BOUNDS,
    meaning: "time of inserting the effects of a transaction's private part",
  }),
} as const;

/** Counts executed transactions. */
export function executionRecord(metrics: Metrics): ExecutionRecord {
  const rows = EXECUTION_METRICS;
  const [txTime, txs, txPhases] = [
    metrics.histogram(rows.txTime),
    metrics.counter(rows.txs),
    metrics.counter(rows.txPhases),
  ];
  const txGas = metrics.histogram(rows.txGas);
  const phaseTime = metrics.histogram(rows.phaseTime);
  const phases = metrics.counter(rows.phases);
  const totalGas = metrics.gauge(rows.totalGas);
  const totalGasHistogram = metrics.histogram(rows.totalGasHistogram);
  const gasRate = metrics.histogram(rows.gasRate);
  const treeInsertion = metrics.histogram(rows.treeInsertion);
  const calls = metrics.counter(rows.calls);
  const callTime = metrics.histogram(rows.callTime);
  const manaPerSecond = metrics.histogram(rows.manaPerSecond);
  const manaUsed = metrics.histogram(rows.manaUsed);
  const privateEffects = metrics.histogram(rows.privateEffects);
  return {
    tx({ ms, gas, phases: count }) {
      txs.add(1, { [OK]: "true" });
      txTime.record(ms);
      txPhases.add(count);
      for (const [dimension, used] of dimensions(gas)) txGas.record(used, { [DIMENSION]: dimension });
    },
    refusedTx: () => txs.add(1, { [OK]: "false" }),
    phase(phase, ms, ok) {
      phaseTime.record(ms, { [PHASE]: PHASES[phase] });
      phases.add(1, { [PHASE]: PHASES[phase], [OK]: String(ok) });
    },
    call(ms, mana, ok) {
      calls.add(1, { [OK]: String(ok) });
      if (!ok) return;
      callTime.record(ms);
      manaUsed.record(mana);
      if (ms > 0 && mana > 0) manaPerSecond.record(Math.round((mana * 1000) / ms));
    },
    privateEffects: (us, of) => privateEffects.record(us, { [REVERTIBILITY]: of }),
    applied: (ms) => treeInsertion.record(ms),
    block(gas, ms) {
      for (const [dimension, used] of dimensions(gas)) {
        totalGas.set(used, { [DIMENSION]: dimension });
        totalGasHistogram.record(used, { [DIMENSION]: dimension });
      }
      if (ms > 0) gasRate.record(Math.round((gas.l2Gas * 1000) / ms), { [DIMENSION]: "L2" });
    },
  };
}

const dimensions = ({ daGas, l2Gas }: TxGas) =>
  [
    ["DA", daGas],
    ["L2", l2Gas],
  ] as const;
