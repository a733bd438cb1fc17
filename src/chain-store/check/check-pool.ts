import type { Core } from "../../core/core.ts";
import { digestTx } from "../../mempool/digest/digest-tx.ts";
import { equal } from "../../protocol/bytes.ts";
import { txFromBytes } from "../../protocol/tx/tx-bytes.ts";
import { storedGeneration } from "../../storage/identity.ts";
import type { Store } from "../../storage/store.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";

/**
 * Checks the pool's own store: bodies decode and have the hash that they are kept by, marks and the archive lead to
 * bodies.
 */
export function checkPool(store: Store, core: Core, report: CheckReport): void {
  report.stage("pool", 0);
  const { contracts, transactions } = storedGeneration(store);
  const { proofFields } = transactions;
  checkPart(report, "pool-txs", () => {
    for (const { key, value } of store.table("pool-txs").range({})) {
      checkRow(report, "pool-txs", key, () => {
        const { hash, tx } = txFromBytes(value, 32, proofFields);
        if (!equal(hash, key)) return "names another hash";
        const digest = digestTx(core, tx, contracts);
        if (!equal(digest.hash, key)) return "its tx has another hash";
        if (digest.dataFault !== undefined) return `its tx cannot be read: ${digest.dataFault}`;
        return equal(digest.anchorHash, value.subarray(0, 32)) ? undefined : "its anchor hash is not that of its tx";
      });
      report.step();
    }
  });
  checkPart(report, "pool-marks", () => {
    for (const { key, value } of store.table("pool-marks").range({})) {
      checkRow(report, "pool-marks", key, () =>
        value.length === 5 && value[0] >= 1 && value[0] <= 3 ? undefined : "is no mark",
      );
    }
  });
  checkPart(report, "pool-archive", () => {
    for (const { key, value } of store.table("pool-archive").range({})) {
      checkRow(report, "pool-archive", key, () => {
        const { hash } = txFromBytes(value, 0, proofFields);
        const index = store.table("pool-archive-hashes").get(hash);
        return index !== undefined && equal(index, key) ? undefined : "its hash does not lead to it";
      });
    }
  });
}
