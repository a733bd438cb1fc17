import { expect, test } from "vitest";
import type { FinishedL1Tx } from "../../../src/l1/tx/l1-sender.ts";
import { countL1Txs } from "../../../src/l1/tx/metrics.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";

const GWEI = 1_000_000_000n;
const state: FinishedL1Tx["state"] = {
  ...{ id: 1, status: "mined", purpose: "propose", nonce: 3, to: "0x11", value: 0n, gas: 500_000n },
  data: Uint8Array.of(0, 1, 2, 0),
  fees: { maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI, maxFeePerBlobGas: GWEI },
  ...{ hashes: ["0xaa", "0xbb"], cancelHashes: [], sentAt: 0, lastSentAt: 0, timeoutAt: undefined },
  ...{ hasBlobs: true, minedBlock: 12 },
};
const receipt: FinishedL1Tx["receipt"] = {
  ...{ hash: "0xbb", succeeded: true, blockNumber: 12, blockHash: new Uint8Array(32), logs: [] },
  ...{ gasUsed: 400_000n, gasPrice: 10n * GWEI, blobGas: { used: 262_144n, price: GWEI } },
};

test("L1 transactions are counted by fate, and mined ones with what they used and paid", () => {
  const metrics = new Metrics((error) => {
    throw error;
  });
  const count = countL1Txs(metrics, "0x77", "sequencer");
  count({ fate: "mined", state, receipt, sent: { at: performance.now(), l1Block: 10 } });
  count({ fate: "cancelled", state, receipt: undefined, sent: undefined });
  countL1Txs(metrics, "0x88", "prover")({ fate: "mined", state, receipt, sent: undefined });
  const lines = prometheusText(metrics.collect()).split("\n");
  const ofSender = '{aztec_l1_tx_type="process",aztec_l1_sender="0x77"}';
  expect(lines).toEqual(
    expect.arrayContaining([
      'aztec_l1_tx_mined_count{aztec_l1_tx_scope="sequencer"} 1',
      'aztec_l1_tx_cancelled_count{aztec_l1_tx_scope="sequencer"} 1',
      'aztec_l1_publisher_tx_count{aztec_l1_tx_type="process",aztec_ok="false"} 1',
      'aztec_l1_tx_mined_count{aztec_l1_tx_scope="prover"} 1',
      'aztec_l1_publisher_tx_count{aztec_l1_tx_type="submitProof",aztec_ok="true"} 1',
      "aztec_l1_publisher_blob_tx_success 2",
      "aztec_l1_publisher_blob_tx_failure 1",
      "aztec_l1_publisher_blob_inclusion_blocks_sum 2",
      'aztec_l1_tx_attempts_until_mined_sum{aztec_l1_tx_scope="sequencer"} 2',
      'aztec_l1_tx_max_fee_gwei_sum{aztec_l1_tx_scope="sequencer"} 20',
      `aztec_l1_publisher_tx_gas_sum${ofSender} 400000`,
      `aztec_l1_publisher_tx_calldata_gas_sum${ofSender} 40`,
      `aztec_l1_publisher_tx_blobdata_gas_used_sum${ofSender} 262144`,
      "aztec_l1_publisher_blob_count_blobs_sum 4",
      // 400,000 gas at 10 gwei, and 262,144 blob gas at 1 gwei.
      "aztec_l1_publisher_tx_total_fee_eth_sum 0.008524288",
    ]),
  );
});
