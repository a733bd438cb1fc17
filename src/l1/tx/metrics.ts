import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { gauge, histogram, upDownCounter } from "../../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import type { L1Receipt } from "./account-reads.ts";
import type { FinishedL1Tx } from "./l1-sender.ts";
import type { SampledAccounts } from "./sampled-accounts.ts";

const SCOPE = "aztec.l1_tx.scope";
const SENDER = "aztec.l1.sender";
const TYPE = "aztec.l1.tx_type";
const OK = "aztec.ok";
/** Who sends transactions. */
type L1TxScope = "sequencer" | "prover";
const SCOPES = { [SCOPE]: ["sequencer", "prover"] satisfies L1TxScope[] } as const;
/** Own accounts, which the configuration bounds. */
const OF_SENDER = { [SENDER]: "any" } as const;
/** Types of the release: a checkpoint with votes, and the proof of an epoch. */
const TYPE_OF: Readonly<Record<L1TxScope, string>> = { sequencer: "process", prover: "submitProof" };
const TYPES = Object.values(TYPE_OF);
const OF_TYPE = { [TYPE]: TYPES } as const;

const GWEI = 1e9;
const ETH = 1e18;
const GWEI_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000] as const;
const GAS_BOUNDS = [
  21_000, 50_000, 100_000, 200_000, 300_000, 500_000, 750_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 16_000_000,
] as const;
const ETH_BOUNDS = [0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1] as const;
const COUNT_BOUNDS = [1, 2, 3, 4, 5, 6, 9, 12, 24] as const;
const BYTES_BOUNDS = [1_024, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072] as const;
/** L1 takes 12 s for a block, so that a transaction takes longer than the release's bounds tell apart. */
const MINED_BOUNDS = [1_000, 5_000, 12_000, 24_000, 36_000, 60_000, 120_000, 300_000, 600_000] as const;

const count = (name: string, meaning: string) =>
  upDownCounter(`aztec.l1_tx.${name}`, { labels: SCOPES, meaning: `L1 transactions ${meaning}` });
const fee = (name: string, meaning: string) =>
  histogram(`aztec.l1_tx.${name}`, { unit: "gwei", labels: SCOPES, bounds: GWEI_BOUNDS, meaning });

export const L1_TX_METRICS = {
  mined: count("mined_count", "that were mined and succeeded"),
  reverted: count("reverted_count", "that were mined and reverted"),
  cancelled: count("cancelled_count", "whose cancellation was mined"),
  notMined: count("not_mined_count", "that were dropped, or whose nonce another used"),
  minedTime: histogram("aztec.l1_tx.mined_duration", {
    unit: "ms",
    labels: SCOPES,
    bounds: MINED_BOUNDS,
    meaning: "time from sending an L1 transaction until it was mined; the release counts seconds under this name",
  }),
  attempts: histogram("aztec.l1_tx.attempts_until_mined", {
    labels: SCOPES,
    bounds: COUNT_BOUNDS,
    meaning: "times that a mined L1 transaction was sent, with rising fees",
  }),
  maxPriorityFee: fee("max_priority_fee", "highest priority fee offered; the release counts wei under this name"),
  maxFee: fee("max_fee", "highest fee offered per gas; the release counts wei under this name"),
  blobFee: fee("blob_fee", "highest fee offered per blob gas; the release counts wei under this name"),
  txs: upDownCounter("aztec.l1_publisher.tx_count", {
    labels: { ...OF_TYPE, [OK]: ["true", "false"] },
    meaning: "L1 transactions that ended; ok: mined and not reverted",
  }),
  duration: histogram("aztec.l1_publisher.tx_duration", {
    unit: "ms",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: MINED_BOUNDS,
    meaning: "time from sending an L1 transaction until it was mined",
  }),
  gas: histogram("aztec.l1_publisher.tx_gas", {
    unit: "gas",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: GAS_BOUNDS,
    meaning: "gas that L1 transactions used",
  }),
  gasPrice: histogram("aztec.l1_publisher.gas_price", {
    unit: "gwei",
    bounds: GWEI_BOUNDS,
    meaning: "price paid per gas",
  }),
  calldataSize: histogram("aztec.l1_publisher.tx_calldata_size", {
    unit: "By",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: BYTES_BOUNDS,
    meaning: "bytes of calldata",
  }),
  calldataGas: histogram("aztec.l1_publisher.tx_calldata_gas", {
    unit: "gas",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: GAS_BOUNDS,
    meaning: "gas of the calldata: 16 for a byte, 4 for a zero byte",
  }),
  blobGas: histogram("aztec.l1_publisher.tx_blobdata_gas_used", {
    unit: "gas",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: [131_072, 262_144, 393_216, 524_288, 786_432, 1_179_648],
    meaning: "blob gas that L1 transactions used",
  }),
  blobGasPrice: histogram("aztec.l1_publisher.tx_blobdata_gas_cost", {
    unit: "gwei",
    labels: { ...OF_TYPE, ...OF_SENDER },
    bounds: GWEI_BOUNDS,
    meaning: "price paid per blob gas; the release counts wei under this name",
  }),
  totalFee: histogram("aztec.l1_publisher.tx_total_fee", {
    unit: "eth",
    bounds: ETH_BOUNDS,
    meaning: "what an L1 transaction cost, gas and blobs",
  }),
  blobs: histogram("aztec.l1_publisher.blob_count", {
    unit: "blobs",
    bounds: COUNT_BOUNDS,
    meaning: "blobs of L1 transactions",
  }),
  inclusionBlocks: histogram("aztec.l1_publisher.blob_inclusion_blocks", {
    unit: "blocks",
    bounds: COUNT_BOUNDS,
    meaning: "L1 blocks from sending a blob transaction until it was mined",
  }),
  blobTxs: upDownCounter("aztec.l1_publisher.blob_tx_success", { meaning: "blob transactions that succeeded" }),
  failedBlobTxs: upDownCounter("aztec.l1_publisher.blob_tx_failure", {
    meaning: "blob transactions that reverted, were cancelled or not mined",
  }),
  balance: gauge("aztec.l1_publisher.balance", {
    unit: "eth",
    labels: OF_SENDER,
    meaning:
      "ETH of an account that publishes checkpoints or proofs, asked of L1 each half minute while metrics are read",
  }),
  accountBalance: gauge("aztec.l1.balance", {
    unit: "eth",
    labels: OF_SENDER,
    meaning: "the same as aztec.l1_publisher.balance",
  }),
  gasPriceNow: gauge("aztec.l1.gas_price", {
    unit: "wei",
    meaning: "gas price that L1 suggests, asked each half minute while metrics are read",
  }),
  blobBaseFee: gauge("aztec.l1.blob_base_fee", {
    unit: "wei",
    meaning: "base fee of blob gas on L1, asked each half minute while metrics are read",
  }),
} as const;

/** Returns what counts the transactions of one account once they are finished. */
export function countL1Txs(metrics: Metrics, address: string, scope: L1TxScope): (tx: FinishedL1Tx) => void {
  const ofScope = { [SCOPE]: scope };
  const ofType = { [TYPE]: TYPE_OF[scope] };
  const rows = L1_TX_METRICS;
  const counts = {
    mined: metrics.counter(rows.mined),
    reverted: metrics.counter(rows.reverted),
    cancelled: metrics.counter(rows.cancelled),
    "not mined": metrics.counter(rows.notMined),
  };
  const txs = metrics.counter(rows.txs);
  const blobTxs = metrics.counter(rows.blobTxs);
  const failedBlobTxs = metrics.counter(rows.failedBlobTxs);
  const minedTime = metrics.histogram(rows.minedTime);
  const duration = metrics.histogram(rows.duration);
  const attempts = metrics.histogram(rows.attempts);
  const offered = [metrics.histogram(rows.maxPriorityFee), metrics.histogram(rows.maxFee)] as const;
  const blobFee = metrics.histogram(rows.blobFee);
  const paid = countPaid(metrics, { ...ofType, [SENDER]: address });
  return ({ fate, state, receipt, sent }) => {
    const ok = fate === "mined";
    counts[fate].add(1, ofScope);
    txs.add(1, { ...ofType, [OK]: String(ok) });
    if (state.hasBlobs) (ok ? blobTxs : failedBlobTxs).add();
    if (receipt === undefined) return;
    if (sent !== undefined) {
      const ms = Math.ceil(performance.now() - sent.at);
      minedTime.record(ms, ofScope);
      duration.record(ms, { ...ofType, [SENDER]: address });
      if (state.hasBlobs)
        metrics.histogram(rows.inclusionBlocks).record(Math.max(0, receipt.blockNumber - sent.l1Block));
    }
    attempts.record(state.hashes.length, ofScope);
    offered[0].record(Number(state.fees.maxPriorityFeePerGas) / GWEI, ofScope);
    offered[1].record(Number(state.fees.maxFeePerGas) / GWEI, ofScope);
    if (state.fees.maxFeePerBlobGas !== undefined) blobFee.record(Number(state.fees.maxFeePerBlobGas) / GWEI, ofScope);
    paid(receipt, state.data);
  };
}

function countPaid(
  metrics: Metrics,
  labels: Readonly<Record<string, string>>,
): (receipt: L1Receipt, calldata: Uint8Array) => void {
  const rows = L1_TX_METRICS;
  const gas = metrics.histogram(rows.gas);
  const gasPrice = metrics.histogram(rows.gasPrice);
  const size = metrics.histogram(rows.calldataSize);
  const calldataGas = metrics.histogram(rows.calldataGas);
  const blobGas = metrics.histogram(rows.blobGas);
  const blobGasPrice = metrics.histogram(rows.blobGasPrice);
  const totalFee = metrics.histogram(rows.totalFee);
  const blobs = metrics.histogram(rows.blobs);
  return ({ gasUsed, gasPrice: price, blobGas: blob }, calldata) => {
    gas.record(Number(gasUsed), labels);
    size.record(calldata.length, labels);
    calldataGas.record(gasOf(calldata), labels);
    if (blob !== undefined) {
      blobGas.record(Number(blob.used), labels);
      blobGasPrice.record(Number(blob.price) / GWEI, labels);
      blobs.record(Number(blob.used) / BYTES_PER_BLOB);
    }
    if (price === undefined) return;
    gasPrice.record(Number(price) / GWEI);
    totalFee.record(Number(gasUsed * price + (blob === undefined ? 0n : blob.used * blob.price)) / ETH);
  };
}

/** EIP-2028. A unit of blob gas is a byte of a blob (EIP-4844). */
function gasOf(calldata: Uint8Array): number {
  let zeros = 0;
  for (const byte of calldata) if (byte === 0) zeros++;
  return zeros * 4 + (calldata.length - zeros) * 16;
}

/** Exports balances of the sending accounts and what L1 asks for gas. Returns an unsubscribe function. */
export function observeL1Accounts(metrics: Metrics, accounts: Pick<SampledAccounts, "read">): () => void {
  const rows = L1_TX_METRICS;
  return metrics.observe((to) => {
    const { balances, fees } = accounts.read();
    for (const [address, eth] of balances) {
      to.set(rows.balance, eth, { [SENDER]: address });
      to.set(rows.accountBalance, eth, { [SENDER]: address });
    }
    const { gasPrice, blobBaseFee } = fees;
    if (gasPrice !== undefined) to.set(rows.gasPriceNow, Number(gasPrice));
    if (blobBaseFee !== undefined) to.set(rows.blobBaseFee, Number(blobBaseFee));
  });
}
