import { expect, test } from "vitest";
import { countSubmissions, observeTxPool } from "../../src/mempool/metrics.ts";
import { BY_RANK } from "../../src/mempool/pool/pre-add-rules.ts";
import { TxPool } from "../../src/mempool/pool/tx-pool.ts";
import { countedVerifier } from "../../src/mempool/proofs/metrics.ts";
import { ProofQueueFullError, type ProofVerifier } from "../../src/mempool/proofs/proof-verifier.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { Metrics } from "../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../src/telemetry/metrics/prometheus-text.ts";
import { MemoryStore } from "../world/mempool/memory-store.ts";
import { anchorOf, ModelWorld } from "../world/mempool/model-world.ts";
import { poolTx, seeded } from "../world/mempool/pool-txs.ts";

const started = () => {
  const metrics = new Metrics((error) => {
    throw error;
  });
  return { metrics, lines: () => prometheusText(metrics.collect()).split("\n") };
};

const tx = (name: string, plan: object = {}) =>
  poolTx({ hash: seeded(name), nullifiers: [seeded(`nullifier of ${name}`)], anchorHash: anchorOf(0), ...plan });

test("txs that leave the pool are counted by reason, and those that proposals name and it does not have", () => {
  const { metrics, lines } = started();
  const world = new ModelWorld(new Map([[toHex(fr(77)), 10n ** 30n]]));
  const pool = new TxPool(new MemoryStore(), world, { rules: V4, maxPending: 2, archived: 0, deleteAfterReorg: false });
  observeTxPool(metrics, pool);
  const [low, middle, high] = [tx("low", { fee: 1n }), tx("middle", { fee: 5n }), tx("high", { fee: 9n })];
  pool.add([low, middle], BY_RANK);
  pool.add([high], BY_RANK);
  expect(pool.status(low.hash)).toBe("deleted");
  pool.remove([middle.hash]);
  pool.protect([seeded("unknown"), high.hash, low.hash], 3);
  const evicted = (reason: string) =>
    `aztec_mempool_tx_pool_v2_evicted_count{aztec_mempool_eviction_reason="${reason}"}`;
  const counted = [...pool.evicted].reduce((sum, [, count]) => sum + count, 0);
  expect(counted).toBe(2);
  expect(lines()).toEqual(
    expect.arrayContaining([
      `${evicted("execution failed")} 1`,
      `${evicted("reorg")} 0`,
      "aztec_mempool_tx_pool_v2_missing_on_protect 1",
      "aztec_mempool_tx_pool_v2_soft_deleted_hits 1",
    ]),
  );
});

test("submissions and verifications of proofs are counted with their times", async () => {
  const { metrics, lines } = started();
  countSubmissions(metrics)(12, false);
  const verdicts = [async () => true, async () => false, () => Promise.reject(new ProofQueueFullError(64))];
  const verifier: ProofVerifier = {
    verify: () => (verdicts.shift() as () => Promise<boolean>)(),
    close: async () => {},
  };
  const counted = countedVerifier(metrics, verifier);
  const { tx: proven } = tx("proven");
  expect([await counted.verify(proven), await counted.verify(proven)]).toEqual([true, false]);
  await expect(counted.verify(proven)).rejects.toThrow(ProofQueueFullError);
  expect(lines()).toEqual(
    expect.arrayContaining([
      'aztec_node_receive_tx_count{aztec_ok="false"} 1',
      'aztec_node_receive_tx_duration_milliseconds_sum{aztec_ok="false"} 12',
      "aztec_proof_verifier_count 2",
      "aztec_ivc_verifier_failure_count 1",
      "aztec_ivc_verifier_total_time_milliseconds_count 2",
    ]),
  );
});
