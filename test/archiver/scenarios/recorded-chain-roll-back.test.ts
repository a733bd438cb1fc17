import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ChainStore } from "../../../src/archiver/chain-store.ts";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { worldStateHealth } from "../../../src/node/services/node-health.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";
import { dump as dumpChain } from "../../world/archiver/open-chain.ts";
import { CHAIN_A_REGISTRY, type ChainA, startChainA } from "../../world/l1/chain-a.ts";
import { dump as dumpState } from "../../world/world-state/open-state.ts";

/** Rollback with real trees on the recorded chain, which has one block per checkpoint. */
const core = loadCore();
let l1: ChainA;
let store: Store;
let path: string;
let chain: ChainStore;
let world: WorldState;
let synchronizer: Synchronizer;
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
  path = mkdtempSync(join(tmpdir(), "svc-roll-back-"));
  store = openStore({ path });
  const funded = {
    testAccounts: true,
    sponsoredFpc: true,
    prefundAddresses: [fromHex("0x099602ed42e355e5338ade3a9e314b3d15b6030b058a0c17c385f4a0f2d2b71a")],
  };
  world = new WorldState(core, store, genesisContent(V4, genesisPublicData(core, funded, V4)));
  chain = new ChainStore({
    store,
    genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
    epochDuration: reader.identity.constants.epochDuration,
    generation: V4,
  });
  synchronizer = new Synchronizer({
    store,
    chain,
    worldState: world,
    reader,
    blobs,
    rebuild: rebuildInThread(core, V4),
    validateAttestations: async () => ({ valid: true }),
    logger: silentLogger,
  });
  await synchronizer.syncOnce();
});
afterAll(async () => {
  await synchronizer?.stop();
  await closeBlobs?.();
  await store?.close();
  if (path) rmSync(path, { recursive: true, force: true });
  await l1?.stop();
});

test("replaying stored blocks gives the same rows as unwinding, and the chain syncs back to the same state", async () => {
  expect(world.status()).toEqual({ tip: 59, finalized: 0, oldest: 1 });
  const synced = { ...dumpChain(store), ...dumpState(store) };

  await synchronizer.rollBackTo(23);
  const unwound = { ...dumpChain(store), ...dumpState(store) };
  expect(world.status()).toEqual({ tip: 23, finalized: 0, oldest: 1 });
  await synchronizer.syncOnce();
  expect({ ...dumpChain(store), ...dumpState(store) }).toEqual(synced);

  // As if the whole chain were final and its history dropped.
  store.transaction(() => {
    world.setFinalized(59);
    world.pruneTo(59);
  });
  const replaying = synchronizer.rollBackTo(23);
  const health = worldStateHealth({ chain, world });
  await expect.poll(() => health.read().state, { interval: 1 }).toBe("waiting");
  expect(health.read().reason).toMatch(/^replaying blocks: \d+ of 23$/);
  await replaying;
  expect(health.read()).toEqual({ state: "ok" });
  expect({ ...dumpChain(store), ...dumpState(store) }).toEqual(unwound);
  for (let n = 1; n <= 23; n++) expect(toHex(world.snapshot(n, 4).root)).toBe(toHex(chain.block(n)!.archiveRoot));
  await synchronizer.syncOnce();
  expect({ ...dumpChain(store), ...dumpState(store) }).toEqual(synced);
});
