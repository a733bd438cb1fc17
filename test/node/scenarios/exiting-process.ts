/** Exits with code 7 while its RPC threads serve; run by rpc-threads.test.ts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChainServices } from "../../../src/chain-store/chain-services.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { RpcThreads } from "../../../src/rpc/threads/rpc-threads.ts";
import { Connection } from "../../world/rpc/connection.ts";
import { fakeServices, IDENTITY, recordingLogger } from "../../world/rpc/fakes.ts";

const path = mkdtempSync(join(tmpdir(), "svc-exiting-"));
process.once("exit", () => rmSync(path, { recursive: true }));
const chain = { path, mapSizeKb: 1 << 16, identity: IDENTITY, publicData: [] };
const { store } = await openChainServices({ ...chain, core: loadCore(), hasher: new CorePool({ size: 1 }) });
const { port } = await RpcThreads.start({
  threads: 2,
  services: fakeServices(),
  longCalls: { answer: async () => ({ isBatch: true, slots: [], notifications: [] }) },
  cacheBytes: 1 << 20,
  reads: { ...chain, commits: store.commits },
  server: { listen: { host: "127.0.0.1", port: 0 }, serve: { namespaces: ["node"] } },
  log: recordingLogger(),
});
for (let i = 0; i < 10; i++) await (await Connection.to(port)).call("node_getVersion");
process.stdout.write("listening\n", () => process.exit(7));
