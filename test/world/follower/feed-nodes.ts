import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chainOf } from "../../../src/archiver/chain-reads.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import type { Core } from "../../../src/core/core.ts";
import { EndpointBook } from "../../../src/endpoints/endpoint-book.ts";
import { feedUpstreams } from "../../../src/follower/follow/ask-upstream.ts";
import { FeedSource, type FeedSourceOptions } from "../../../src/follower/follow/feed-source.ts";
import { type FeedServer, type FeedServerOptions, startFeedServer } from "../../../src/follower/serve/feed-server.ts";
import { SnapshotCopies } from "../../../src/follower/serve/snapshot-copies.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { networkOfIdentity, recordedPublicData } from "../l1/recorded-networks.ts";

/** Of a chain in memory: any. */
export const ADDRESSES = Object.fromEntries(
  [
    "registryAddress",
    "rollupAddress",
    "inboxAddress",
    "outboxAddress",
    "feeJuiceAddress",
    "stakingAssetAddress",
    "feeJuicePortalAddress",
    "coinIssuerAddress",
    "rewardDistributorAddress",
    "governanceProposerAddress",
    "governanceAddress",
  ].map((name, i) => [name, `0x${String(i).padStart(40, "0")}`]),
) as unknown as RollupIdentity["addresses"];

export interface ServedNode {
  store: Store;
  chain: ReturnType<typeof chainOf>;
}

/** The feed of a node's store, on a free port of this machine. */
export function serveFeed(
  core: Core,
  { store, chain }: ServedNode,
  identity: RollupIdentity,
  options: Partial<FeedServerOptions> = {},
): Promise<FeedServer> {
  return startFeedServer({
    ...{ chain, identity, commits: store, refresh: () => void store.version() },
    publicData: recordedPublicData(core, networkOfIdentity(identity)),
    ...{ host: "127.0.0.1", port: 0, rpcPort: 0, maxFollowers: 4, log: silentLogger },
    snapshots: new SnapshotCopies({ store, folderPrefix: join(tmpdir(), "svc-feed-copy-"), log: silentLogger }),
    ...options,
  });
}

/** A node over a recorded chain's genesis that follows upstreams and nothing else. */
export function followingNode(
  core: Core,
  identity: RollupIdentity,
  urls: string[],
  { logger = silentLogger, ...options }: Partial<FeedSourceOptions> & { logger?: Logger } = {},
) {
  const path = mkdtempSync(join(tmpdir(), "svc-follower-"));
  const store = openStore({ path });
  const network = networkOfIdentity(identity);
  const { generation } = network;
  const world = new WorldState(core, store, genesisContent(generation, recordedPublicData(core, network)));
  const chain = chainOf(store, world, { epochDuration: identity.constants.epochDuration, generation });
  const endpoints = new EndpointBook({ logger });
  const upstreams = feedUpstreams(urls, endpoints);
  // On a busy machine the first upstream would lose its call to the next one after a second.
  for (const { health } of upstreams) health.answered("hello", 60_000);
  const synchronizer = new Synchronizer({
    ...{ store, chain, worldState: world, reader: { identity }, rebuild: rebuildInThread(core, generation), logger },
    source: (services) => new FeedSource(services, { upstreams, core, ...options }),
    options: { pollingIntervalMs: 2, maxBackoffMs: 8 },
  });
  const close = async (): Promise<void> => {
    await synchronizer.stop();
    endpoints.close();
    await store.close();
    rmSync(path, { recursive: true, force: true });
  };
  return { store, world, chain, synchronizer, close };
}

export function urlOf({ port }: FeedServer): string {
  return `http://127.0.0.1:${port}`;
}
