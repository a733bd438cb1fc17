/**
 * Serves the world state of a store over JSON-RPC as a node does, without following L1:
 *
 *   serve-state.ts DIRECTORY [threads]     default: as in a node; 0: on the main thread
 *
 * It prints its port. SIGTERM ends it.
 */

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { ChainStore } from "../../src/archiver/chain-store.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { threadBudget } from "../../src/node/context/thread-budget.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { startPublicRpc } from "../../src/rpc/public-rpc.ts";
import { openStore } from "../../src/storage/store.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { fakeServices, recordingLogger } from "../../test/world/rpc/fakes.ts";

/** Room for 10M leaves of two trees. */
const MAP_SIZE_KB = 64 * 1024 * 1024;

const path = resolve(process.argv[2]);
const asked = process.argv[3];
const threads = threadBudget(availableParallelism(), { rpcThreads: asked === undefined ? undefined : Number(asked) });
const core = loadCore();
// Reading threads need the store to be open for writing in this thread.
const store = openStore({ path, mapSizeKb: MAP_SIZE_KB, singlePages: true });
const world = new WorldState(core, store, genesisContent(V4, []));
const { identity } = fakeServices();
const chain = new ChainStore({
  store,
  genesis: { header: world.genesisHeader(), hash: world.genesisBlockHash() },
  epochDuration: identity.constants.epochDuration,
  generation: V4,
});
const listener = await startPublicRpc({
  threads,
  services: fakeServices({ core, world, chain }),
  store,
  chain,
  reads: { mapSizeKb: MAP_SIZE_KB, identity, publicData: [] },
  cacheBytes: 0,
  server: { listen: { host: "127.0.0.1", port: 0 }, serve: { namespaces: ["svc", "node"] } },
  log: recordingLogger(),
});
process.stdout.write(`${listener.port}\n`);
process.once("SIGTERM", async () => {
  await listener.close();
  await store.close();
});
