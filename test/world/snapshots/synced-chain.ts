import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rebuildInThread } from "../../../src/archiver/rebuilders.ts";
import { Synchronizer } from "../../../src/archiver/synchronizer.ts";
import { type ChainServices, openChainServices } from "../../../src/chain-store/chain-services.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { hashChain, type TileChain } from "../../../src/core/tile-chain.ts";
import { createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { RollupReader } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { TREE_IDS } from "../../../src/protocol/constants.ts";
import { type RestoreOptions, restoreSnapshot } from "../../../src/snapshots/restore.ts";
import { SnapshotUploader } from "../../../src/snapshots/upload.ts";
import { openObjectReader, openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { type Logger, silentLogger } from "../../../src/telemetry/logger.ts";
import { CHAIN_A, recordedPublicData } from "../l1/recorded-networks.ts";

export const core = loadCore();
export const MAP_SIZE_KB = 4 * 1024 * 1024;

export interface LogLine {
  level: keyof Logger;
  facts: Record<string, unknown>;
  message: string;
}

export interface RecordingLogger extends Logger {
  lines: LogLine[];
}

export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = [];
  const write = (level: keyof Logger) => (facts: object, message: string) =>
    void lines.push({ level, facts: facts as Record<string, unknown>, message });
  return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
}

export interface SyncedChain {
  /** Folder of the store. */
  path: string;
  reader: RollupReader;
  services: ChainServices;
  synchronizer: Synchronizer;
  syncMs: number;
  /** Opens a folder as the chain store of a node that follows this chain. */
  open: (path: string) => Promise<ChainServices>;
  close(): Promise<void>;
}

/** Syncs a recorded chain from its L1 into a store; by default with the history of a node's settings. */
export async function syncRecordedChain(
  network = CHAIN_A,
  options: { checkpointHistory?: number } = {},
): Promise<SyncedChain> {
  const l1 = await network.start();
  const publicData = recordedPublicData(core, network);
  const reader = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: network.registryAddress,
    ethereumSlotDuration: 12,
  });
  const { identity } = reader;
  const blobs = createBlobFetcher({ identity, l1RpcUrls: [l1.url], fileStoreUrls: [`file://${l1.blobStore}`] });
  const hasher = { hashTiles: async (chain: TileChain) => hashChain(core, chain) };
  const open = (path: string) =>
    openChainServices({ path, mapSizeKb: MAP_SIZE_KB, core, identity, publicData, hasher });
  const path = mkdtempSync(join(tmpdir(), "svc-recorded-"));
  const services = await open(path);
  const synchronizer = new Synchronizer({
    ...services,
    worldState: services.world,
    reader,
    blobs,
    rebuild: rebuildInThread(core, network.generation),
    validateAttestations: async () => ({ valid: true }),
    logger: silentLogger,
    options,
  });
  const started = performance.now();
  await synchronizer.syncOnce();
  const syncMs = performance.now() - started;
  return {
    path,
    reader,
    services,
    synchronizer,
    syncMs,
    open,
    close: async () => {
      await synchronizer.stop();
      await blobs.close();
      await services.store.close();
      rmSync(path, { recursive: true, force: true });
      await l1.stop();
    },
  };
}

export function networkOf({ identity }: RollupReader) {
  const { l1ChainId, rollupVersion, addresses } = identity;
  return { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress };
}

export function uploaderOf(chain: SyncedChain, directory: string, change: { synced?: () => boolean } = {}) {
  const logger = recordingLogger();
  const { store, chain: blocks } = chain.services;
  const uploader = new SnapshotUploader({
    store,
    chain: blocks,
    network: networkOf(chain.reader),
    initialSyncComplete: change.synced ?? (() => true),
    openChain: chain.open,
    openLocation: (url) => openObjectStore(url, { retryDelaysMs: [1], timeoutMs: 60_000 }),
    directory,
    logger,
  });
  return { uploader, logger };
}

export async function restore(
  chain: SyncedChain,
  directory: string,
  urls: string[],
  change: Partial<RestoreOptions> = {},
) {
  const logger = recordingLogger();
  const taken = await restoreSnapshot({
    mode: "snapshot",
    stores: urls.map((url) => openObjectReader(url, { retryDelaysMs: [1], timeoutMs: 60_000 })),
    directory: { path: directory, chainStore: join(directory, "chain"), temporary: false },
    reader: chain.reader,
    core,
    mapSizeKb: MAP_SIZE_KB,
    openChain: chain.open,
    logger,
    stream: { isTTY: false } as NodeJS.WriteStream,
    signal: new AbortController().signal,
    ...change,
  });
  return { taken, logger };
}

/** Answers that together read every table of the chain and the trees. */
export function answers({ chain, world }: ChainServices): unknown {
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : toHex(bytes));
  const { tip, oldest } = world.status();
  const blocks = Array.from({ length: chain.latestBlockNumber() }, (_, i) => i + 1);
  return {
    tips: chain.tips(),
    state: world.status(),
    position: chain.state.processed()?.number,
    blocks: blocks.map((n) => [
      text(chain.block(n)?.header),
      text(chain.blockBody(n)),
      text(chain.block(n)?.archiveRoot),
    ]),
    byHash: blocks.map((n) => chain.blockNumberByHash(chain.block(n)!.hash)),
    checkpoints: Array.from({ length: chain.latestCheckpointNumber() }, (_, i) =>
      text(chain.checkpoint(i + 1)?.archiveRoot),
    ),
    trees: blocks
      .filter((n) => n >= Math.max(1, oldest) && n <= tip)
      .map((n) =>
        TREE_IDS.map((tree) => {
          const { root, size } = world.snapshot(n, tree);
          return [text(root), size, text(world.siblingPath(n, tree, Math.max(0, size - 1)))];
        }),
      ),
  };
}
