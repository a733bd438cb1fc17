import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { dump } from "../../world/archiver/open-chain.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedBlocks, recordedNode } from "../../world/archiver/recorded-node.ts";
import { followingNode, serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";
import { CHAIN_A, V5_CHAIN } from "../../world/l1/recorded-networks.ts";

/** Checkpoints whose blocks the node has before L1 has them. */
const PROPOSED = 5;

/** `stride`: L1 blocks that the node goes on at a time, before the last checkpoints. */
const CHAINS = [
  { network: CHAIN_A, stride: 1 },
  { network: V5_CHAIN, stride: 8 },
];

describe.each(CHAINS)(
  "a follower of a follower of a node on the recorded $network.generation.name chain",
  ({ network, stride }) => {
    const core = loadCore();
    const path = mkdtempSync(join(tmpdir(), "svc-upstream-"));
    const servers: FeedServer[] = [];
    let recording: L1Recording;
    let l1: RecordedL1;
    let upstream: RecordedNode;
    let first: ReturnType<typeof followingNode>;
    let second: ReturnType<typeof followingNode>;

    beforeAll(async () => {
      recording = await readRecordedL1(network);
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

    test("gets every row that the node stored, commit by commit, and blocks before L1 has their checkpoint", async () => {
      first.synchronizer.start();
      second.synchronizer.start();
      const blocks = await recordedBlocks(core, recording);
      const heights = [...recording.blocks.keys()].sort((a, b) => a - b);
      const firstProposed = recording.checkpoints.at(-PROPOSED)!.l1.number;
      for (const [i, height] of heights.entries()) {
        if (height < firstProposed - 1 && i % stride > 0) continue;
        const proposed = recording.checkpoints.findLastIndex(({ l1 }) => l1.number === height);
        // The last ones go through the feed twice: as blocks, then as a checkpoint without words.
        if (height >= firstProposed && proposed >= 0) {
          for (const block of blocks[proposed]) await upstream.synchronizer.addProposedBlock(block);
          const { number } = blocks[proposed].at(-1)!.record;
          await expect.poll(() => second.chain.latestBlockNumber()).toBe(number);
          expect(second.chain.checkpointedBlockNumber()).toBeLessThan(number);
        }
        l1.height = height;
        await upstream.synchronizer.syncOnce();
      }
      await expect.poll(() => second.chain.state.processed()?.number).toBe(heights.at(-1));
      expect(second.chain.tips().checkpointed.block.number).toBe(network.blocks);
      expect(dump(first.store)).toEqual(dump(upstream.store));
      expect(dump(second.store)).toEqual(dump(upstream.store));
    });
  },
);
