import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { unpackBlobStore } from "../../world/l1/chain-a.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { Follower } from "../../world/node/follower.ts";
import "../../support/soak.ts";

const core = loadCore();
/** Checkpoints before, and with, those whose proof the lie takes away. */
const [BEFORE, PROVEN] = [2, 5];
let folder: string;
let l1: ReplayedL1;
let proxy: LyingL1;
/** Height of L1 where the last checkpoints were not proven yet. */
let unproven: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-older-state-"));
  unpackBlobStore(join(folder, "blobs"));
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(PROVEN);
  await l1.prove(BEFORE);
  await l1.mine({});
  unproven = `0x${(await l1.height()).toString(16)}`;
  // What is written into storage next belongs to the state of the newest block.
  await l1.mine({});
  await l1.prove(PROVEN);
  // Late enough that unproven checkpoints would be pruned.
  await l1.mine({ timestamp: (await l1.latestTimestamp()) + 3600 });
  proxy = await LyingL1.inFrontOf(l1.url);
});
afterAll(async () => {
  await proxy?.close();
  await l1?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test.each([
  { endpoints: "the only L1 endpoint", urls: () => [proxy.url] },
  { endpoints: "the first of two L1 endpoints", urls: () => [proxy.url, l1.url] },
])("a node keeps proven checkpoints when $endpoints answers from the state before their proof", async ({ urls }) => {
  const node = await Follower.fresh(core, { l1RpcUrls: urls(), blobStore: join(folder, "blobs") });
  const { chain } = node.services;
  const tips = () => [chain.latestCheckpointNumber(), chain.provenCheckpointNumber()];
  try {
    expect(tips()).toEqual([PROVEN, PROVEN]);
    proxy.lie = {
      ask: (call) => {
        const pinned = call.method === "eth_call" && call.params[1] !== "latest";
        return pinned ? { ...call, params: [call.params[0], unproven] } : call;
      },
    };
    await l1.mine({});
    const failure = await node.synchronizer.syncOnce().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(tips()).toEqual([PROVEN, PROVEN]);
    expect(failure).toContain(`${proxy.url} said of L1 block `);
    expect(failure).toContain(`that the proven checkpoint ${PROVEN} is gone`);
    proxy.lie = undefined;
    await node.sync();
    expect(tips()).toEqual([PROVEN, PROVEN]);
  } finally {
    proxy.lie = undefined;
    await node.remove();
  }
});
