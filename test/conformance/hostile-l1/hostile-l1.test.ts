import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { connectRollup } from "../../../src/l1/connect.ts";
import { L1Error } from "../../../src/l1/errors.ts";
import { unpackBlobStore } from "../../l1/chain-a.ts";
import { Follower } from "../follower.ts";
import { ReplayedL1 } from "../replayed-l1.ts";
import { LIES } from "./lies.ts";
import { LyingL1 } from "./lying-l1.ts";
import { stateOf } from "./state.ts";

/** For one exchange: lies that never end are given up after it. Milliseconds. */
const PATIENCE_MS = 400;
/** Recorded L1 block after the first messages to L2. */
const HEIGHT = 78;
/** Block to which the node is taken back before it reads L1 again. */
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

/** A lie that does harm does it to its own test only. */
afterEach(async ({ task }) => {
  proxy.lie = undefined;
  if (task.result?.state !== "fail") return;
  await node.remove();
  node = await freshNode();
});

/** What the synchronizer's loop does with a failure: it is one that says what is wrong, and it is tried again. */
async function triesInVain(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const error = await node.synchronizer.syncOnce().then(
      () => undefined,
      (e: unknown) => e,
    );
    // An error of these is a fault of the program, not of L1.
    expect(error).not.toBeInstanceOf(TypeError);
    expect(error).not.toBeInstanceOf(RangeError);
  }
}

/** The truth from the next L1 block on. */
async function expectLikeHonest(): Promise<void> {
  proxy.lie = undefined;
  await l1.mine({});
  await node.sync();
  await honest.sync();
  expect(stateOf(node)).toEqual(stateOf(honest));
}

describe("an L1 endpoint", () => {
  it.each(LIES)("that $name is followed again when it stops", { timeout: 30_000 }, async ({ lie }) => {
    // As one that the node starts with.
    proxy.lie = lie;
    proxy.told = 0;
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
    // At a head that moves.
    await l1.mine({});
    const { calls } = proxy;
    await triesInVain(2);
    expect(proxy.calls - calls).toBeLessThan(2000);
    await expectLikeHonest();
    // Over the chain that is read.
    await node.synchronizer.rollBackTo(EARLIER);
    proxy.lie = lie;
    const before = proxy.calls;
    await triesInVain(2);
    expect(proxy.calls - before).toBeLessThan(2000);
    expect(proxy.told).toBeGreaterThan(0);
    await expectLikeHonest();
  });
});
