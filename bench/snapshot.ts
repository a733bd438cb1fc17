import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { networkOf, restore, syncRecordedChain, uploaderOf } from "../test/world/snapshots/synced-chain.ts";

/**
 * Time to make a snapshot of the recorded chain and to start from it, compared with a sync from a local L1. The chain
 * is short, so the fixed costs of processes and files weigh more than on a real network.
 */
const folder = mkdtempSync(join(tmpdir(), "svc-bench-snapshot-"));
const chain = await syncRecordedChain();
try {
  const { uploader, logger } = uploaderOf(chain, folder);
  const uploading = performance.now();
  uploader.startUpload(`file://${folder}/store`);
  await uploader.settled();
  const uploadMs = performance.now() - uploading;
  const uploaded = logger.lines.at(-1);
  if (uploaded?.message !== "snapshot is uploaded")
    throw new Error(`no snapshot of ${networkOf(chain.reader).rollupAddress}`);
  const runs: number[] = [];
  for (let i = 0; i < 5; i++) {
    const directory = join(folder, `node-${i}`);
    mkdirSync(join(directory, "chain"), { recursive: true });
    const restoring = performance.now();
    const { taken } = await restore(chain, directory, [`file://${folder}/store`]);
    if (taken === undefined) throw new Error("the snapshot was refused");
    runs.push(performance.now() - restoring);
  }
  const restoreMs = runs.toSorted((a, b) => a - b)[2];
  const ratio = (ms: number) => Math.round((100 * ms) / chain.syncMs) / 100;
  console.table({
    "sync from L1": { ms: Math.round(chain.syncMs), "of a sync": 1 },
    upload: { ms: Math.round(uploadMs), "of a sync": ratio(uploadMs) },
    "verified restore": { ms: Math.round(restoreMs), "of a sync": ratio(restoreMs) },
  });
  console.log(
    `database ${uploaded.facts.bytes} bytes, packed ${uploaded.facts.packedBytes}; a restore is ${Math.round(chain.syncMs / restoreMs)} times as fast as a sync`,
  );
} finally {
  await chain.close();
  rmSync(folder, { recursive: true, force: true });
}
