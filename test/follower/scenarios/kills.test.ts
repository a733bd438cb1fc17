import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStores } from "../../../src/chain-store/check/check-stores.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { openStore } from "../../../src/storage/store.ts";
import { dump } from "../../world/archiver/open-chain.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedNode } from "../../world/archiver/recorded-node.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";
import "../../support/soak.ts";

/** Kills of a follower at random moments; a long run sets more. */
const KILLS = Number(process.env.SVC_FOLLOWER_KILLS ?? 6);
const KILL_WITHIN_MS = 600;
const STEP_MS = 10;

const core = loadCore();
const folder = mkdtempSync(join(tmpdir(), "svc-follower-kills-"));
const directory = join(folder, "follower");
let recording: L1Recording;
let l1: RecordedL1;
let upstream: RecordedNode;
let feed: FeedServer;
let follower: Svc | undefined;

beforeAll(async () => {
  recording = await readRecordedL1();
  l1 = new RecordedL1(recording);
  upstream = recordedNode(core, l1, join(folder, "upstream"));
  feed = await serveFeed(core, upstream, recording.identity);
});
afterAll(async () => {
  follower?.child.kill("SIGKILL");
  await feed?.close();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Svc {
  const args = ["start", "--follower", "--follower-upstream-url", urlOf(feed), "--sync-mode", "full"];
  const port = ["--port", "0", "--rpc-host", "127.0.0.1", "--rpc-threads", "1"];
  follower = spawnSvc([...args, ...port, "--data-directory", directory], { PROVER_REAL_PROOFS: "false" });
  return follower;
}

/** The upstream gets block after block, and goes back by some of them again and again. */
async function moveUpstream(stopped: AbortSignal): Promise<void> {
  const heights = [...recording.blocks.keys()].sort((a, b) => a - b);
  const { chain, synchronizer } = upstream;
  let next = 0;
  while (!stopped.aborted) {
    if (next === heights.length || randomInt(20) === 0) {
      const latest = chain.latestBlockNumber();
      if (latest > 1) {
        await synchronizer.rollBackTo(randomInt(1, latest));
        const { number } = chain.checkpoint(chain.latestCheckpointNumber())!.l1;
        next = heights.findIndex((height) => height > number);
      }
    }
    l1.height = heights[next++];
    await synchronizer.syncOnce();
    await sleep(STEP_MS);
  }
}

async function height(svc: Svc): Promise<unknown> {
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "node_getL2Tips", params: [] });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const answer = await fetch(`http://127.0.0.1:${port}`, init);
  return ((await answer.json()) as { result: { checkpointed: { block: { number: number } } } }).result.checkpointed
    .block.number;
}

test("a follower that is killed while it applies what its upstream sends goes on from whole commits and ends with every row of the upstream, without a fault", async () => {
  const moving = new AbortController();
  const moved = moveUpstream(moving.signal);
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      const killed = start();
      await killed.shows(/following the upstream/);
      await sleep(randomInt(KILL_WITHIN_MS));
      killed.child.kill("SIGKILL");
      await killed.ended;
    }
  } finally {
    moving.abort();
    await moved;
  }
  l1.height = Math.max(...recording.blocks.keys());
  await upstream.synchronizer.syncOnce();
  const last = start();
  await expect.poll(() => height(last)).toBe(59);
  const lies = last.output.stderr.match(/an upstream gave an invalid answer/g);
  last.child.kill("SIGTERM");
  expect((await last.ended).code).toBe(143);
  expect(lies).toBeNull();

  const store = openStore({ path: join(directory, "chain") });
  try {
    expect(dump(store)).toEqual(dump(upstream.store));
  } finally {
    await store.close();
  }
  const faults: object[] = [];
  const report = { stage: () => {}, step: () => {}, fault: (found: object) => void faults.push(found) };
  await checkStores(directory, core, report);
  expect(faults).toEqual([]);
});
