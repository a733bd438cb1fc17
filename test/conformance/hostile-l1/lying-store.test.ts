import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { unpackBlobStore } from "../../world/l1/chain-a.ts";
import { ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { Follower } from "../../world/node/follower.ts";
import { LyingStore, STORE_LIES } from "./lying-store.ts";
import { stateOf } from "./state.ts";
import "../../support/soak.ts";

/** Timeout of one exchange in milliseconds, for lies that never end their answer. */
const PATIENCE_MS = 1_000;
const CHECKPOINTS = 6;
/** Block to which nodes are rolled back before they read the blobs again. */
const EARLIER = 3;

const core = loadCore();
const kzg = new Kzg();
let folder: string;
let l1: ReplayedL1;
let store: LyingStore;
/** Nodes with the lying store only, and with an honest store after it. */
let alone: Follower;
let beside: Follower;
let honest: Follower;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-lying-store-"));
  const blobStore = join(folder, "blobs");
  unpackBlobStore(blobStore);
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(CHECKPOINTS);
  store = await LyingStore.over(blobStore);
  await openNodes();
  honest = await Follower.fresh(core, { l1RpcUrls: [l1.url], blobStore });
});
afterAll(async () => {
  await Promise.all([alone, beside, honest].map((node) => node?.remove()));
  await kzg.close();
  await store?.close();
  await l1?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});
/** Replaces the nodes after a failed test, so that a harmful lie fails only its own test. */
afterEach(async ({ task }) => {
  store.lie = undefined;
  if (task.result?.state !== "fail") return;
  await Promise.all([alone.remove(), beside.remove()]);
  await openNodes();
});

async function openNodes(): Promise<void> {
  const followed = { l1RpcUrls: [l1.url], timeoutMs: PATIENCE_MS, kzg };
  const second = `file://${join(folder, "blobs")}`;
  alone = await Follower.fresh(core, { ...followed, blobStores: [store.url] });
  beside = await Follower.fresh(core, { ...followed, blobStores: [store.url, second] });
}

test.each(STORE_LIES)(
  "a blob store that $name is skipped for the next, and used again once it stops",
  async ({ lie }) => {
    store.lie = lie;
    store.lies = 0;
    for (const node of [alone, beside]) await node.synchronizer.rollBackTo(EARLIER);
    await beside.sync(0);
    expect(stateOf(beside)).toEqual(stateOf(honest));
    const error = await alone.synchronizer.syncOnce().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(RangeError);
    // The chain below the missing blobs can still be read.
    expect(alone.services.chain.latestBlockNumber()).toBe(EARLIER);
    expect(store.lies).toBeGreaterThan(1);
    store.lie = undefined;
    await alone.sync();
    expect(stateOf(alone)).toEqual(stateOf(honest));
  },
);
