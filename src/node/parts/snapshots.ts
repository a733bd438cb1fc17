import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { ChainServices } from "../../chain-store/chain-services.ts";
import type { Values } from "../../config/options.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { countSnapshots } from "../../snapshots/metrics.ts";
import { type RestoreOptions, restoreSnapshot } from "../../snapshots/restore.ts";
import { SnapshotUploader, type SnapshotUploadServices } from "../../snapshots/upload.ts";
import { openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { objectStoreAccess } from "../settings/object-access.ts";

export interface ConfiguredRestore
  extends Pick<RestoreOptions, "directory" | "reader" | "core" | "openChain" | "signal"> {
  values: Values;
  logger: NodeLogger;
}

/** Restores a snapshot if configured. Must run before the chain store is opened. */
export async function restoreConfigured({ values, ...options }: ConfiguredRestore): Promise<void> {
  const access = objectStoreAccess(values);
  await restoreSnapshot({
    ...options,
    mode: values.syncMode,
    stores: values.snapshotsUrls.map((url) => openObjectReader(url, access)),
    mapSizeKb: values.dataStoreMapSizeKb,
    stream: process.stderr,
  });
}

export interface ConfiguredUploader
  extends Pick<ChainServices, "store" | "chain">,
    Pick<SnapshotUploadServices, "openChain"> {
  values: Values;
  identity: RollupIdentity;
  synchronizer: Pick<Synchronizer, "initialSyncComplete">;
  /** The data directory. */
  directory: string;
  metrics: Metrics;
  logger: NodeLogger;
}

export function configuredUploader(options: ConfiguredUploader): SnapshotUploader {
  const { values, identity, store, chain, openChain, synchronizer, directory, metrics, logger } = options;
  const { l1ChainId, rollupVersion, addresses } = identity;
  const access = objectStoreAccess(values);
  return new SnapshotUploader({
    store,
    chain,
    network: { l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress },
    initialSyncComplete: () => synchronizer.initialSyncComplete,
    openChain,
    openLocation: (url) => openObjectStore(url, access),
    directory,
    ended: countSnapshots(metrics),
    logger,
  });
}
