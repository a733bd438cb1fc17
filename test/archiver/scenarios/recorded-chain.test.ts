import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { stageFacts } from "../../../src/archiver/sync-progress.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";
import { answer, recordedCases } from "./recorded-content.ts";

/**
 * Nothing is faked: L1, blobs and trees are real. The recorded chain has the genesis of the reference's local network.
 */
const core = loadCore();
const funded = {
  testAccounts: true,
  sponsoredFpc: true,
  prefundAddresses: [fromHex("0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a")],
};
let l1: ChainA;
let store: Store;
let path: string;
let chain: ChainStore;
let world: WorldState;
let synchronizer: Synchronizer;
let another: () => Synchronizer;
let closeBlobs: () => Promise<void>;

beforeAll(async () => {
  l1 = await startChainA();
  const reader = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: CHAIN_A_REGISTRY,
    ethereumSlotDuration: 12,
  });
  const blobs = createBlobFetcher({
    identity: reader.identity,
    l1RpcUrls: [l1.url],
    fileStoreUrls: [`file://${l1.blobStore}`],
  });
  closeBlobs = () => blobs.close();
  path = mkdtempSync(join(tmpdir(), "svc-follow-"));
  store = openStore({ path });
  world = new WorldState(core, store, genesisContent(V4, genesisPublicData(core, funded, V4)));
  chain = new ChainStore({
    store,
    genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
    epochDuration: reader.identity.constants.epochDuration,
    generation: V4,
  });
  another = () =>
    new Synchronizer({
      store,
      chain,
      worldState: world,
      reader,
      blobs,
      rebuild: rebuildInThread(core, V4),
      validateAttestations: async () => ({ valid: true }),
      logger: silentLogger,
    });
  synchronizer = another();
  await synchronizer.syncOnce();
});
afterAll(async () => {
  await synchronizer?.stop();
  await closeBlobs?.();
  await store?.close();
  if (path) rmSync(path, { recursive: true, force: true });
  await l1?.stop();
});

test("following the recorded chain ends at L1's pending checkpoint with every root checked", () => {
  const tips = chain.tips();
  expect([tips.proposed.number, tips.proven.block.number, tips.finalized.block.number]).toEqual([59, 59, 0]);
  expect(world.status().tip).toBe(59);
  expect(synchronizer.initialSyncComplete).toBe(true);
  for (let n = 1; n <= 59; n++) {
    expect(chain.blockNumberByHash(chain.block(n)!.hash)).toBe(n);
    expect(toHex(world.snapshot(n, 4).root)).toBe(toHex(chain.block(n)!.archiveRoot));
  }
  expect(stageFacts(synchronizer.times)).toMatchObject({ checkpoints: 59, blocks: 59 });
});

test("the followed chain holds the recorded logs, effects, contracts and messages", () => {
  const content = new ContentStore({ store, chain });
  const cases = recordedCases();
  const methods = Object.entries(Object.groupBy(cases, ({ method }) => method));
  expect(Object.fromEntries(methods.map(([method, of]) => [method, of!.length]))).toEqual({
    getL2ToL1Messages: 16,
    getTxEffect: 41,
    getPrivateLogsByTags: 10,
    getPublicLogsByTagsFromContract: 20,
    getContract: 11,
    getContractClass: 4,
    getPublicLogs: 2,
    getContractClassLogs: 2,
  });
  for (const recorded of cases) {
    expect(answer(content, recorded), `${recorded.method} ${JSON.stringify(recorded.params)}`).toEqual(recorded.result);
  }
});

test("a chain that is unwound to block 20 syncs back to the same tips", async () => {
  const before = chain.tips();
  store.transaction(() => {
    world.unwindTo(20);
    chain.removeCheckpointsAfter(20);
    chain.state.putSyncPoint("checkpoint-sync", chain.checkpoint(20)!.l1);
  });
  expect(chain.latestBlockNumber()).toBe(20);
  await another().syncOnce();
  expect(chain.tips()).toEqual(before);
  expect(world.status().tip).toBe(59);
});
