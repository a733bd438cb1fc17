import { rmSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import type { Core } from "../../../src/core/core.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { EndpointBook } from "../../../src/endpoints/endpoint-book.ts";
import { feedUpstreams } from "../../../src/follower/follow/ask-upstream.ts";
import { FeedSource } from "../../../src/follower/follow/feed-source.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import type { WorldStateWriter } from "../../../src/world-state/types.ts";
import { FakeL1 } from "../../world/archiver/fake-l1.ts";
import { FakeWorldState } from "../../world/archiver/fake-world-state.ts";
import { follow, settle } from "../../world/archiver/following.ts";
import { dump, openChain } from "../../world/archiver/open-chain.ts";
import { l1Happening, RandomL1 } from "../../world/archiver/random-l1.ts";
import { ADDRESSES, serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";

/** A follower whose trees accept any roots, as those of the synthetic chain. */
function synthetic(core: Core, identity: RollupIdentity, urls: string[]) {
  const { store, chain, path } = openChain();
  const worldState = new FakeWorldState(store) as unknown as WorldStateWriter;
  const endpoints = new EndpointBook();
  const synchronizer = new Synchronizer({
    ...{ store, chain, worldState, reader: { identity }, rebuild: rebuildInThread(core, V4), logger: silentLogger },
    source: (services) => new FeedSource(services, { upstreams: feedUpstreams(urls, endpoints), core }),
    options: { pollingIntervalMs: 2, maxBackoffMs: 8 },
  });
  const close = async (): Promise<void> => {
    await synchronizer.stop();
    endpoints.close();
    await store.close();
    rmSync(path, { recursive: true, force: true });
  };
  return { store, chain, synchronizer, close };
}

const core = loadCore();
const step = fc.oneof(
  ...l1Happening,
  { weight: 6, arbitrary: fc.record({ do: fc.constant("sync" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("break" as const) }) },
);

test("a follower has every row of its upstream after any of them, connections broken or not", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
      const l1 = new FakeL1(core);
      const identity = { ...l1.identity, addresses: ADDRESSES };
      const random = new RandomL1(l1);
      const upstream = follow(l1, core, { batchSize: 1 });
      let server = await serveFeed(core, upstream, identity);
      const { port } = server;
      const follower = synthetic(core, identity, [urlOf(server)]);
      follower.synchronizer.start();
      try {
        for (const one of steps) {
          if (one.do === "sync") await settle(upstream);
          else if (one.do === "break") {
            await server.close();
            server = await serveFeed(core, upstream, identity, { port });
          } else random.happen(one);
        }
        random.outgrow();
        await settle(upstream);
        const { hash } = upstream.chain.state.processed()!;
        await expect.poll(() => follower.chain.state.processed()?.hash).toEqual(hash);
        expect(dump(follower.store)).toEqual(dump(upstream.store));
      } finally {
        await follower.close();
        await server.close();
        await upstream.close();
      }
    }),
    { numRuns: 25 },
  );
});
