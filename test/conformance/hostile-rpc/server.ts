import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openChainServices } from "../../../src/chain-store/chain-services.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { startPublicRpc } from "../../../src/rpc/public-rpc.ts";
import { fakeServices, IDENTITY, recordingLogger } from "../../world/rpc/fakes.ts";

/** Serves the public port of a node over an empty chain, on one RPC thread. Prints the port; exits when stdin ends. */
const folder = mkdtempSync(join(tmpdir(), "svc-hostile-"));
const hasher = new CorePool({ size: 1 });
const chain = { path: folder, mapSizeKb: 1 << 16, identity: IDENTITY, publicData: [] };
const { store, chain: reader } = await openChainServices({ ...chain, core: loadCore(), hasher });
const listener = await startPublicRpc({
  threads: { rpc: 1, longCalls: 1 },
  services: fakeServices(),
  store,
  chain: reader,
  reads: chain,
  cacheBytes: 64 * 1024 ** 2,
  server: {
    listen: { host: "127.0.0.1", port: 0 },
    serve: { namespaces: ["svc", "node"] },
    limits: { maxWaitingBytes: 256 * 1024 ** 2 },
    sockets: {
      maxPerClient: 64,
      maxSubscriptions: 64,
      maxFilters: 1_000,
      maxMessageBytes: 1024 ** 2,
      maxBuffered: 256 * 1024,
      idleTimeoutMs: 60_000,
      maxBehind: 10_000,
    },
  },
  log: recordingLogger(),
});
process.stdout.write(`${listener.port}\n`);
process.stdin.resume().on("end", async () => {
  await listener.close(0);
  await store.close();
  await hasher.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
