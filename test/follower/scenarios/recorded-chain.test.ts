import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { dump } from "../../world/archiver/open-chain.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedNode } from "../../world/archiver/recorded-node.ts";
import { followingNode, serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";

describe("a follower of a follower of a node on the recorded chain", () => {
  const core = loadCore();
  const path = mkdtempSync(join(tmpdir(), "svc-upstream-"));
  const servers: FeedServer[] = [];
  let recording: L1Recording;
  let l1: RecordedL1;
  let upstream: RecordedNode;
  let first: ReturnType<typeof followingNode>;
  let second: ReturnType<typeof followingNode>;

  beforeAll(async () => {
    recording = await readRecordedL1();
    l1 = new RecordedL1(recording);
    upstream = recordedNode(core, l1, path);
    servers.push(await serveFeed(core, upstream, recording.identity));
    first = followingNode(core, recording.identity, [urlOf(servers[0])]);
    servers.push(await serveFeed(core, first, recording.identity));
    second = followingNode(core, recording.identity, [urlOf(servers[1])]);
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
    await upstream?.close();
    for (const server of servers) await server.close();
    rmSync(path, { recursive: true, force: true });
  });

  test("gets every row that the node stored, commit by commit", async () => {
    first.synchronizer.start();
    second.synchronizer.start();
    const heights = [...recording.blocks.keys()].sort((a, b) => a - b);
    for (const height of heights) {
      l1.height = height;
      await upstream.synchronizer.syncOnce();
    }
    await expect.poll(() => second.chain.state.processed()?.number).toBe(heights.at(-1));
    expect(second.chain.latestBlockNumber()).toBe(59);
    expect(dump(first.store)).toEqual(dump(upstream.store));
    expect(dump(second.store)).toEqual(dump(upstream.store));
  });
});
