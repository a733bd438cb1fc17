import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { ChainServices } from "../../chain-store/chain-services.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { countSnapshots } from "../../snapshots/metrics.ts";
import { type RestoreOptions, restoreSnapshot } from "../../snapshots/restore.ts";
import { SnapshotUploader, type SnapshotUploadServices } from "../../snapshots/upload.ts";
import { openObjectReader, openObjectStore } from "../../storage/objects/open-store.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { objectStoreAccess } from "../settings/object-access.ts";

interface ConfiguredRestore extends Pick<RestoreOptions, "directory" | "reader" | "core" | "openChain" | "signal"> {
  values: PartValues;
  logger: NodeLogger;
}

/** Restores a snapshot if configured. Must run before the chain store is opened. */
export async function restoreConfigured({ values, ...options }: ConfiguredRestore): Promise<void> {
  const access = objectStoreAccess(values.objectStores);
  await restoreSnapshot({
    ...options,
    mode: values.snapshots.mode,
    stores: values.snapshots.urls.map((url) => openObjectReader(url, access)),
    mapSizeKb: values.storage.mapSizeKb,
    stream: process.stderr,
  });
}

interface ConfiguredUploader extends Pick<ChainServices, "store" | "chain">, Pick<SnapshotUploadServices, "openChain"> {
  values: PartValues;
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
  const access = objectStoreAccess(values.objectStores);
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
