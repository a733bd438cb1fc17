import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PrunedHistoryError } from "../../../src/archiver/errors.ts";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { L1Error } from "../../../src/l1/errors.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { unpackBlobStore } from "../../world/l1/chain-a.ts";
import { LIES } from "../../world/l1/lies.ts";
import { type Lie, LyingL1 } from "../../world/l1/lying-l1.ts";
import { ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { Follower } from "../../world/node/follower.ts";
import { stateOf } from "./state.ts";
import "../../support/soak.ts";

/** Timeout of one exchange in milliseconds, for lies that never end their answer. */
const PATIENCE_MS = 400;
/** Recorded L1 block after the first messages to L2. */
const HEIGHT = 78;
/** Block to which the node is rolled back before it reads L1 again. */
const EARLIER = 12;

const core = loadCore();
let folder: string;
let l1: ReplayedL1;
let proxy: LyingL1;
let node: Follower;
let honest: Follower;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-hostile-"));
  const blobStore = join(folder, "blobs");
  unpackBlobStore(blobStore);
  l1 = await ReplayedL1.start();
  await l1.replayTo(HEIGHT);
  proxy = await LyingL1.inFrontOf(l1.url);
  node = await freshNode();
  honest = await Follower.fresh(core, { l1RpcUrls: [l1.url], blobStore });
});
afterAll(async () => {
  await node?.remove();
  await honest?.remove();
  await proxy?.close();
  await l1?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const freshNode = () =>
  Follower.fresh(core, { l1RpcUrls: [proxy.url], blobStore: join(folder, "blobs"), timeoutMs: PATIENCE_MS });

/** Replaces the node after a failed test, so that a harmful lie fails only its own test. */
afterEach(async ({ task }) => {
  proxy.lie = undefined;
  if (task.result?.state !== "fail") return;
  await node.remove();
  node = await freshNode();
});

/** Runs sync iterations like the synchronizer's loop, which ignores failures. Fails on errors of the program itself. */
async function syncDespiteLie(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const error = await node.synchronizer.syncOnce().then(
      () => undefined,
      (e: unknown) => e,
    );
    // These errors are faults of the program, not of L1.
    expect(error).not.toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(RangeError);
  }
}

/** Ends the lie, mines an L1 block, and expects the node to reach the state of an honest one. */
async function expectLikeHonest(): Promise<void> {
  proxy.lie = undefined;
  await l1.mine({});
  await node.sync();
  await honest.sync();
  expect(stateOf(node)).toEqual(stateOf(honest));
}

test.each(LIES)("a node follows an L1 endpoint that $name again, once it stops", async ({ lie }) => {
  // The lie while the node connects.
  proxy.lie = lie;
  proxy.lies = 0;
  const connected = await connectRollup({
    l1RpcUrls: [proxy.url],
    l1ChainId: RECORDED_CHAIN.l1ChainId,
    registryAddress: RECORDED_CHAIN.registryAddress,
    ethereumSlotDuration: 12,
    retryDelaysMs: [],
    timeoutMs: PATIENCE_MS,
  }).catch((error: unknown) => error);
  if (connected instanceof Error) {
    expect(connected).toBeInstanceOf(L1Error);
    expect(connected.message).not.toContain("\n");
    expect(connected.message.length).toBeLessThan(1000);
  }
  // The lie while L1 has a new block.
  await l1.mine({});
  const { calls } = proxy;
  await syncDespiteLie(2);
  expect(proxy.calls - calls).toBeLessThan(2000);
  await expectLikeHonest();
  // The lie while the chain is read.
  await node.synchronizer.rollBackTo(EARLIER);
  proxy.lie = lie;
  const before = proxy.calls;
  await syncDespiteLie(2);
  expect(proxy.calls - before).toBeLessThan(2000);
  // On a busy machine an earlier call of an iteration may have run into its time limit.
  for (let more = 0; more < 5 && proxy.lies === 0; more++) await syncDespiteLie(1);
  expect(proxy.lies).toBeGreaterThan(0);
  await expectLikeHonest();
});

/** The rollup's logs or transactions up to and including L1 block `kept` are gone. */
function pruned(what: "logs" | "transactions", kept: number): Lie {
  const isOld = (item: { blockNumber: string } | undefined) => Number(item?.blockNumber) <= kept;
  return {
    answer: ({ method }, truth) => {
      if (what === "logs" && method === "eth_getLogs") {
        return { ...truth, result: truth.result.filter((log: { blockNumber: string }) => !isOld(log)) };
      }
      if (what === "transactions" && method === "eth_getTransactionByHash" && isOld(truth.result)) {
        return { ...truth, result: null };
      }
      return undefined;
    },
  };
}
const failureOf = (syncing: Promise<unknown>) =>
  syncing.then(
    () => undefined,
    (error: unknown) => error,
  );

test.each(["logs", "transactions"] as const)(
  "a node says that an L1 endpoint prunes old %s if it lacks those that it has to read",
  async (what) => {
    await node.synchronizer.rollBackTo(EARLIER);
    const { services } = node;
    proxy.lie = pruned(what, services.chain.checkpoint(services.chain.latestCheckpointNumber())!.l1.number + 3);
    const failure = await failureOf(node.synchronizer.syncOnce());
    expect(failure).toBeInstanceOf(PrunedHistoryError);
    expect((failure as Error).message).toContain(`${proxy.url} gives no ${what} of L1 block `);
    expect((failure as Error).message).toContain("prunes old ones");
    await expectLikeHonest();
  },
);

test.each(["logs", "transactions"] as const)(
  "a node reads %s that its first L1 endpoint prunes from the next one",
  async (what) => {
    const both = await Follower.fresh(core, { l1RpcUrls: [proxy.url, l1.url], blobStore: join(folder, "blobs") });
    try {
      await both.synchronizer.rollBackTo(EARLIER);
      const { services } = both;
      proxy.lie = pruned(what, services.chain.checkpoint(services.chain.latestCheckpointNumber())!.l1.number + 3);
      expect(await failureOf(both.synchronizer.syncOnce())).toBeInstanceOf(PrunedHistoryError);
      await both.sync();
      await honest.sync();
      expect(stateOf(both)).toEqual(stateOf(honest));
    } finally {
      proxy.lie = undefined;
      await both.remove();
    }
  },
);
