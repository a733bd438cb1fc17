import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { openChainServices } from "../../../src/chain-store/chain-services.ts";
import type { Core } from "../../../src/core/core.ts";
import { CorePool } from "../../../src/core/pool.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { attestationValidator } from "../../../src/l1/committee/validate-attestations.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { startAnvil } from "../l1/chain-a.ts";

const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/p2p/${name}`, import.meta.url));

export type RecordedNetworkChain = Awaited<ReturnType<typeof recordedNetworkChain>>;

/** The chain of the recorded network with a committee, synced from its L1 and blobs. */
export async function recordedNetworkChain(core: Core) {
  const folder = mkdtempSync(join(tmpdir(), "svc-network-"));
  const state = join(folder, "l1-state.json");
  writeFileSync(state, gunzipSync(readFileSync(fixture("l1-state.json.gz"))));
  const blobs = join(folder, "blobs");
  mkdirSync(blobs);
  execFileSync("tar", ["-xzf", fixture("blob-store.tar.gz"), "-C", blobs]);
  const { registryAddress } = JSON.parse(readFileSync(fixture("network.json"), "utf8")).l1Contracts;
  const anvil = await startAnvil(["--load-state", state]);
  const hasher = new CorePool({ size: 1 });
  try {
    const reader = await connectRollup({
      l1RpcUrls: [anvil.url],
      l1ChainId: 31337,
      registryAddress,
      ethereumSlotDuration: 4,
    });
    const { identity } = reader;
    const path = join(folder, "store");
    const services = await openChainServices({
      path,
      mapSizeKb: 1 << 20,
      core,
      identity,
      publicData: genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] }, V4),
      hasher,
    });
    const fetcher = createBlobFetcher({ identity, l1RpcUrls: [anvil.url], fileStoreUrls: [`file://${blobs}`] });
    const synchronizer = new Synchronizer({
      store: services.store,
      chain: services.chain,
      worldState: services.world,
      reader,
      blobs: fetcher,
      rebuild: rebuildInThread(core, V4),
      validateAttestations: attestationValidator(reader, V4),
      logger: silentLogger,
    });
    await synchronizer.syncOnce();
    await synchronizer.stop();
    await fetcher.close();
    return {
      ...services,
      identity,
      async remove() {
        await services.store.close();
        await hasher.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } finally {
    await anvil.stop();
  }
}
