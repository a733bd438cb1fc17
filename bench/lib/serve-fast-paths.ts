/**
 * Serves the world state of a store on several ports of one thread, which differ in one fast path each:
 *
 *   serve-fast-paths.ts DIRECTORY        with an IPC channel
 *
 * It sends its ports; each message that it gets is answered with the CPU time of the process, in microseconds.
 */
import { ChainStore } from "../../src/archiver/chain-store.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { publicRegistry } from "../../src/rpc/server/public-registry.ts";
import { type RpcServerOptions, startRpcServer } from "../../src/rpc/server/rpc-server.ts";
import { resultCache } from "../../src/rpc/threads/rpc-reads.ts";
import { openStore } from "../../src/storage/store.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { fakeServices, recordingLogger } from "../../test/world/rpc/fakes.ts";

export interface ServedPorts {
  all: number;
  withoutScanner: number;
  withoutPlainPost: number;
}

const core = loadCore();
const store = openStore({ path: process.argv[2], mapSizeKb: 64 * 1024 * 1024, singlePages: true });
const world = new WorldState(core, store, genesisContent(V4, []));
const { epochDuration } = fakeServices().identity.constants;
const genesis = { header: world.genesisHeader(), hash: world.genesisBlockHash() };
const chain = new ChainStore({ store, genesis, epochDuration, generation: V4 });
const registry = publicRegistry(fakeServices({ core, world, chain }));
const results = resultCache({ store, chain }, 1 << 20);

async function portOf(serve: Omit<RpcServerOptions["serve"], "namespaces">): Promise<number> {
  const listen = { host: "127.0.0.1", port: 0 };
  const options = { listen, serve: { ...serve, namespaces: ["svc", "node"] as const }, cache: { results } };
  return (await startRpcServer(registry, options, recordingLogger())).port;
}
const ports: ServedPorts = {
  all: await portOf({}),
  withoutScanner: await portOf({ scans: false }),
  withoutPlainPost: await portOf({
    guard: (inner) => ({ receive: (head) => inner.receive(head), failed: (error) => inner.failed(error) }),
  }),
};
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.send?.(ports);
